// Writes what is derived from the Zod schemas: `npm run schema`, then commit the difference.
import { writeFileSync } from "node:fs";
import { asyncApi } from "../src/protocol/asyncapi.ts";
import { protocolJsonSchema } from "../src/protocol/json-schema.ts";
import { openApi } from "../src/protocol/openapi.ts";

const DOCUMENTS = {
  "protocol.schema.json": protocolJsonSchema,
  "openapi.json": openApi,
  "asyncapi.json": asyncApi,
};

for (const [file, make] of Object.entries(DOCUMENTS)) {
  const target = new URL(`../src/protocol/${file}`, import.meta.url);
  writeFileSync(target, `${JSON.stringify(make(), null, 2)}\n`);
  console.log(`wrote src/protocol/${file}`);
}
