// What axe finds wrong with what is on the screen.
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

type Violation = { id: string; nodes: { target: string[]; failureSummary: string }[] };

const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

export async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  const found = await page.evaluate<Violation[]>(
    `axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] })
       .then(({ violations }) => violations)`,
  );
  return found.flatMap(({ id, nodes }) =>
    nodes
      .slice(0, 5)
      .map(({ target, failureSummary }) => `${id}: ${target.join(" ")} (${failureSummary})`),
  );
}
