// Reads and cleans a little of what most texts have while the page's program is still on its way: the first text of a session
// is then drawn by code that has run before.
import { blocksOf } from "./blocks.ts";
import { trustedHtml } from "./sanitize.ts";

const SAMPLE = "a **b** `c`\n\n- d\n";

for (const block of blocksOf(SAMPLE)) if (block.kind === "html") trustedHtml(block.html);
