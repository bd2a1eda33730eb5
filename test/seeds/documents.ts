// The documents whose tables are executed, in the order of docs/conformance.md.
import { CONSOLE } from "./console.ts";
import { EXECUTION } from "./execution.ts";
import { HUD } from "./hud.ts";
import { RUNS } from "./runs.ts";
import type { Listed } from "./suite.ts";
import { TERMINAL } from "./terminal.ts";

type ListedDocument = {
  readonly title: string;
  readonly file: string;
  readonly rows: readonly Listed[];
};

export const DOCUMENTS: readonly ListedDocument[] = [RUNS, CONSOLE, HUD, EXECUTION, TERMINAL];
