// Writes docs/conformance.md from the tables in test/seeds. `node scripts/conformance-doc.ts`, then commit it.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { DOCUMENTS } from "../test/seeds/documents.ts";
import type { Listed } from "../test/seeds/suite.ts";

export const TARGET = join(import.meta.dirname, "../docs/conformance.md");

const INTRO = `# Conformance with the seed documents

Every requirement of the five seed documents, one row each. Each row is executed against the running product by \`test/seeds\`; this page is written from the same tables by
\`node scripts/conformance-doc.ts\`, and a test keeps the two equal. Where a row names a difference, the test holds the product to that difference.
`;

const cell = (text: string) => text.replaceAll("|", "\\|").replaceAll("\n", " ");

function section(title: string, file: string, rows: readonly Listed[]): string {
  const different = rows.filter(({ difference }) => difference !== undefined).length;
  const lines = rows.map(
    ({ id, says, difference }) =>
      `| ${id} | ${cell(says)} | ${difference === undefined ? "as written" : `**differs:** ${cell(difference)}`} |`,
  );
  return [
    `## ${title}`,
    `\`${file}\`: ${rows.length} requirements, ${rows.length - different} served as written, ${different} differently.`,
    ["| id | requirement | served |", "|---|---|---|", ...lines].join("\n"),
  ].join("\n\n");
}

export function conformanceDoc(): string {
  const sections = DOCUMENTS.map(({ title, file, rows }) => section(title, file, rows));
  return `${[INTRO.trim(), ...sections].join("\n\n")}\n`;
}

if (import.meta.main) {
  writeFileSync(TARGET, conformanceDoc());
  console.log("wrote docs/conformance.md");
}
