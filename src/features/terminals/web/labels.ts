import type { TerminalView } from "../records.ts";

export const SANDBOX: Record<TerminalView["sandbox"], string> = {
  bubblewrap: "It runs in the sandbox of tools: the workspace, no network, nothing else of yours.",
  none: "There is no sandbox here: it runs with your rights.",
};
