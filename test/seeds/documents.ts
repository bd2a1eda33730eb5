// The documents whose tables are executed, in the order of docs/conformance.md.
import { CONSOLE } from "./console/console.ts";
import { EXECUTION } from "./execution/execution.ts";
import { HUD } from "./hud/hud.ts";
import { RUNS } from "./runs/runs.ts";
import type { Listed } from "./suite.ts";
import { TERMINAL } from "./terminal/terminal.ts";

type ListedDocument = {
  readonly title: string;
  readonly file: string;
  readonly rows: readonly Listed[];
};

export const DOCUMENTS: readonly ListedDocument[] = [RUNS, CONSOLE, HUD, EXECUTION, TERMINAL];
