// Renders a sample text while the bundle loads, so the first real one runs warm code.
import { blocksOf } from "./blocks.ts";
import { trustedHtml } from "./sanitize.ts";

const SAMPLE = "a **b** `c`\n\n- d\n";

for (const block of blocksOf(SAMPLE)) if (block.kind === "html") trustedHtml(block.html);
