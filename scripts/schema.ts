// Writes the documents that are derived from the Zod schemas: `npm run schema`, then commit the difference. One
// definition per line, so that a diff names what changed; .gitattributes marks the files as generated.
import { writeFileSync } from "node:fs";
import { asyncApi } from "../src/api/asyncapi.ts";
import { protocolJsonSchema } from "../src/api/json-schema.ts";
import { openApi } from "../src/api/openapi.ts";

const DOCUMENTS = {
  "protocol.schema.json": protocolJsonSchema,
  "openapi.json": openApi,
  "asyncapi.json": asyncApi,
};

/** Puts each definition on its own line. */
const OPENED = /^(?:|\.paths|\.channels|\.operations|\.\$defs|\.components(?:\.\w+)?)$/;

function printed(value: unknown, path = "", indent = ""): string {
  if (!OPENED.test(path) || typeof value !== "object" || value === null)
    return JSON.stringify(value);
  const inner = `${indent}  `;
  const lines = Object.entries(value).map(
    ([key, each]) => `${inner}${JSON.stringify(key)}: ${printed(each, `${path}.${key}`, inner)}`,
  );
  return `{\n${lines.join(",\n")}\n${indent}}`;
}

for (const [file, make] of Object.entries(DOCUMENTS)) {
  const target = new URL(`../src/api/${file}`, import.meta.url);
  writeFileSync(target, `${printed(make())}\n`);
  console.log(`wrote src/api/${file}`);
}
