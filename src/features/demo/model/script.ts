import { own } from "../../../kernel/events/own.ts";
// The demo model's grammar: one directive per line, `keyword rest` (docs/demo-model.md).
// A line either means exactly one directive or is kept as `unknown`, to be said aloud: nothing is skipped silently.

export type DemoCall = { name: string; args: Record<string, unknown> };

export type Directive =
  | { kind: "say"; text: string }
  | { kind: "think"; text: string }
  | { kind: "count"; upTo: number }
  | { kind: "pace"; ms: number }
  | { kind: "call"; call: DemoCall }
  | { kind: "step"; index: number }
  | { kind: "together" }
  | { kind: "end" }
  | { kind: "fail"; message: string }
  | { kind: "tour" }
  | { kind: "unknown"; line: string };

const MAX_COUNT = 1_000_000;
const MAX_PACE_MS = 60_000;

const PARSERS: Record<string, (rest: string) => Directive | undefined> = {
  say: (rest) => (rest ? { kind: "say", text: unescape(rest) } : undefined),
  think: (rest) => (rest ? { kind: "think", text: unescape(rest) } : undefined),
  fail: (rest) => (rest ? { kind: "fail", message: rest } : undefined),
  count: (rest) => integer(rest, MAX_COUNT, (upTo) => ({ kind: "count", upTo })),
  pace: (rest) => integer(rest, MAX_PACE_MS, (ms) => ({ kind: "pace", ms })),
  step: (rest) => integer(rest, MAX_COUNT, (index) => ({ kind: "step", index })),
  together: (rest) => (rest ? undefined : { kind: "together" }),
  end: (rest) => (rest ? undefined : { kind: "end" }),
  tour: (rest) => (rest ? undefined : { kind: "tour" }),
  read: (rest) => (/^\S+$/.test(rest) ? call("read", { path: rest }) : undefined),
  write: (rest) => {
    const [, path, text] = /^(\S+)\s+(.+)$/.exec(rest) ?? [];
    return path && text ? call("write", { path, content: unescape(text) }) : undefined;
  },
  append: (rest) => {
    const [, path, text] = /^(\S+)\s+(.+)$/.exec(rest) ?? [];
    return path && text ? call("append", { path, content: unescape(text) }) : undefined;
  },
  edit: (rest) => {
    const [path = "", old = "", ...more] = rest.split(" | ");
    if (!/^\S+$/.test(path.trim()) || old === "" || more.length !== 1) return undefined;
    const [new_text = ""] = more.map(unescape);
    return call("edit", { path: path.trim(), old_text: unescape(old), new_text });
  },
  search: (rest) => (rest ? call("search_files", { pattern: rest }) : undefined),
  list: (rest) => (/^\S+$/.test(rest) ? call("list_files", { path: rest }) : undefined),
  exec: (rest) => (rest ? call("exec", { command: rest }) : undefined),
  background: (rest) => (rest ? call("exec", { command: rest, background: true }) : undefined),
  fetch: (rest) => (URL.canParse(rest) ? call("web_fetch", { url: rest }) : undefined),
  browse: (rest) => (URL.canParse(rest) ? call("browser_open", { url: rest }) : undefined),
  screenshot: (rest) => (rest ? undefined : call("browser_screenshot", {})),
  remember: (rest) =>
    rest ? call("memory", { action: "add", target: "memory", text: unescape(rest) }) : undefined,
  clarify: (rest) => {
    const [question = "", ...choices] = split(rest, "|");
    return question
      ? call("clarify", { question, ...(choices.length > 0 && { choices }) })
      : undefined;
  },
  plan: (rest) => {
    if (rest === "done") return call("plan", { action: "complete" });
    const [goal = "", ...steps] = split(rest, ";");
    return goal && steps.length > 0 ? call("plan", { action: "create", goal, steps }) : undefined;
  },
  todo: (rest) => {
    const contents = split(rest, ";");
    const items = contents.map((content, at) => ({ id: `${at + 1}`, content, status: "pending" }));
    return items.length > 0 ? call("todo", { items }) : undefined;
  },
  delegate: (rest) => {
    const colon = rest.indexOf(":");
    const title = rest.slice(0, Math.max(colon, 0)).trim();
    const script = rest.slice(colon + 1).trim();
    return title && script ? call("delegate", { title, prompt: childScript(script) }) : undefined;
  },
};

/** Undefined when the first line is no directive: then the text is a prompt, not a script. */
export function parseScript(text: string): readonly Directive[] | undefined {
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  const directives = lines.filter((line) => line !== "").map(parseLine);
  return directives[0] === undefined || directives[0].kind === "unknown" ? undefined : directives;
}

function parseLine(line: string): Directive {
  const [, keyword = "", rest = ""] = /^(\S+)\s*(.*)$/.exec(line) ?? [];
  const parse = own(PARSERS, keyword);
  return parse?.(rest) ?? { kind: "unknown", line };
}

function call(name: string, args: Record<string, unknown>): Directive {
  return { kind: "call", call: { name, args } };
}

function integer(
  text: string,
  max: number,
  make: (value: number) => Directive,
): Directive | undefined {
  return /^\d{1,7}$/.test(text) && Number(text) <= max ? make(Number(text)) : undefined;
}

function split(text: string, separator: string): string[] {
  return text
    .split(separator)
    .map((piece) => piece.trim())
    .filter((piece) => piece !== "");
}

function unescape(text: string): string {
  return text.replaceAll(String.raw`\n`, "\n");
}

/** A subagent given plain words would play the whole tour; it says them instead. */
function childScript(script: string): string {
  const lines = script.split(" ;; ").join("\n");
  return parseScript(lines) ? lines : `say ${script}`;
}
