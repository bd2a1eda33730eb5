// One item of a transcript as lines of a terminal.
import type { Item, RequestState, ToolItem, ToolStatus } from "../../kernel/state/run/items.ts";
import { accent, bad, block, bold, dim, good, lastLines, plain, warn } from "./style.ts";

const OUTPUT_LINES = 12;
const DIFF = new Set(["write", "edit", "append"]);

const MARKS: Record<ToolStatus, string> = {
  planned: dim("○"),
  awaiting_approval: warn("?"),
  awaiting_clarify: warn("?"),
  running: accent("●"),
  outcome_unknown: warn("!"),
  completed: good("✓"),
  failed: bad("✗"),
  denied: bad("⊘"),
  skipped: dim("–"),
  cancelled: dim("–"),
  marked_done: good("✓"),
};

export function itemLines(item: Item, width: number): string[] {
  switch (item.kind) {
    case "user":
      if (item.retracted) return [];
      return ["", ...block(item.text, width, bold, item.mode === "start" ? "> " : ">> ")];
    case "text":
      if (item.text === "") return [];
      return [
        "",
        ...block(item.text, width, item.superseded ? dim : plain),
        ...cut(item.superseded),
      ];
    case "reasoning":
      return item.superseded ? [] : ["", ...block(item.text, width, dim, "  ")];
    case "notice": {
      const paint = { info: dim, warning: warn, error: bad }[item.tone];
      const asked = item.request ? requestLines(item.request, width) : [];
      return ["", ...block(item.text, width, paint), ...asked];
    }
    case "tool":
      return toolLines(item, width);
  }
}

const cut = (superseded: boolean) =>
  superseded ? [dim("  (interrupted; what follows is said again)")] : [];

function toolLines(tool: ToolItem, width: number): string[] {
  const took = tool.durationMs === null ? "" : dim(` ${seconds(tool.durationMs)}`);
  const label = block(tool.label || tool.name, Math.max(20, width - 14));
  const [first = tool.name, ...more] = label;
  const output = tool.output ? `${tool.output.head}${tool.output.tail}` : tool.live;
  const { text, left } = lastLines(output, OUTPUT_LINES);
  const before = left > 0 ? [dim(`    … ${left} lines before`)] : [];
  const printed = text === "" ? [] : [...before, ...block(text, width, dim, "    ")];
  const failed = tool.error ? block(tool.error.message, width, bad, "    ") : [];
  const asked = tool.request && !tool.request.answer ? requestLines(tool.request, width) : [];
  const changed = DIFF.has(tool.name) ? [] : changes(tool, width);
  const rest = more.map((line) => `    ${line}`);
  return [
    `  ${MARKS[tool.status]} ${first}${took}`,
    ...rest,
    ...printed,
    ...failed,
    ...changed,
    ...asked,
  ];
}

function changes({ changes: all }: ToolItem, width: number): string[] {
  if (all.length === 0) return [];
  const names = all.slice(0, 3).map(({ path }) => path);
  const more = all.length > 3 ? ` and ${all.length - 3} more` : "";
  return block(`changed ${names.join(", ")}${more}`, width, dim, "    ");
}

/** What waits, in full: what is allowed is what was seen. */
export function requestLines(request: RequestState, width: number): string[] {
  const title = request.kind === "unknown_outcome" ? "What became of it?" : request.title;
  const why = request.reason ? block(request.reason, width, dim, "  ") : [];
  return [
    ...block(title, width, (line) => warn(bold(line)), "  "),
    ...block(request.prompt, width, plain, "  │ "),
    ...why,
    ...block(hint(request), width, dim, "  "),
  ];
}

/** What answers it. */
export function hint({ kind, choices, always, freeText }: RequestState): string {
  if (kind === "approval") {
    const offered = choices.includes("session") ? " · s for this session" : "";
    const rule = always ? ` · a always: ${JSON.stringify(always)}` : "";
    return `y allow once${offered}${rule} · n deny, n and why · then Enter (or Alt+Y, Alt+N)`;
  }
  const numbered = choices.map((choice, at) => `${at + 1} ${choice}`).join(" · ");
  const words = freeText || choices.length === 0 ? "an answer in words" : "";
  return `${[numbered, words].filter(Boolean).join(" · or ")} · then Enter`;
}

function seconds(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
}
