// How each tool is shown: its icon, its title on a card, what a run is doing while it works, and how many calls of it
// are summed up. The page, the session list and the windows read it here; a tool without an entry does not compile.
import type { ToolItem } from "../run/items.ts";
import { argumentIn, numberArgument, placeOf, textArgument } from "./arguments.ts";

type Icon =
  | "back"
  | "book"
  | "file"
  | "globe"
  | "list"
  | "pencil"
  | "people"
  | "plug"
  | "question"
  | "search"
  | "squeeze"
  | "terminal"
  | "tool";

/** What a group of calls did, in one word. */
export type ActionGroup =
  | "ran"
  | "read"
  | "edited"
  | "listed"
  | "searched"
  | "fetched"
  | "asked"
  | "browsed"
  | "memory"
  | "skill"
  | "planned"
  | "used";

export type Toolset = "file" | "terminal" | "planning" | "web" | "memory" | "delegation";

type Arguments = Readonly<Record<string, unknown>>;
export type ToolDisplay = {
  readonly icon: Icon;
  readonly emoji: string;
  readonly group: ActionGroup;
  /** Null: a set of its own. */
  readonly toolset: Toolset | null;
  readonly title: (item: ToolItem) => string;
  /** Null: “using NAME”. */
  readonly activity: ((given: Arguments) => string) | null;
};

const TESTS =
  /(?:^|[\s/&;|])(?:tests?|vitest|jest|pytest|mocha|rspec|ctest|tox|unittest)(?:[\s:;|&.]|$)/i;
const textOf = (value: unknown) => (typeof value === "string" ? value : "");
const about = (doing: string, name: string) => (given: Arguments) =>
  `${doing} ${textOf(given[name])}`;
const label = ({ label: text }: ToolItem) => text;

const PLAN: Readonly<Record<string, (item: ToolItem) => string>> = {
  step_started: (item) => `Step ${numberArgument(item, "index") ?? ""} started`,
  step_completed: (item) => `Step ${numberArgument(item, "index") ?? ""} finished`,
  step_fallback: (item) => `Step ${numberArgument(item, "index") ?? ""} tried another way`,
  replan: () => "Plan replaced",
  complete: () => "Plan completed",
  escalate: () => "Plan handed to you",
};

/** Of a tool that nothing is known of but its name. */
const PLAIN: ToolDisplay = {
  icon: "tool",
  emoji: "⚙️",
  group: "used",
  toolset: null,
  title: (item) => item.label || item.name,
  activity: null,
};

export const TOOL_DISPLAY = {
  exec: {
    icon: "terminal",
    emoji: "💻",
    group: "ran",
    toolset: "terminal",
    title: (item) => textArgument(item, "command") ?? item.label,
    activity: ({ command }) =>
      TESTS.test(textOf(command).slice(0, 200)) ? "running tests" : `running ${textOf(command)}`,
  },
  process: {
    icon: "terminal",
    emoji: "💻",
    group: "ran",
    toolset: "terminal",
    title: label,
    activity: () => "looking after a background command",
  },
  read: {
    icon: "file",
    emoji: "📖",
    group: "read",
    toolset: "file",
    title: (item) => `Read ${placeOf(item, "L")}`,
    activity: about("reading", "path"),
  },
  list_files: {
    icon: "file",
    emoji: "📂",
    group: "listed",
    toolset: "file",
    title: (item) => `List ${textArgument(item, "path") ?? "the workspace"}`,
    activity: () => "looking through files",
  },
  search_files: {
    icon: "search",
    emoji: "🔎",
    group: "searched",
    toolset: "file",
    title: (item) => `Search “${textArgument(item, "pattern") ?? ""}”${inFolder(item)}`,
    activity: () => "searching files",
  },
  write: {
    icon: "pencil",
    emoji: "✍️",
    group: "edited",
    toolset: "file",
    title: (item) => `Write ${textArgument(item, "path") ?? item.label}`,
    activity: about("writing", "path"),
  },
  edit: {
    icon: "pencil",
    emoji: "🔧",
    group: "edited",
    toolset: "file",
    title: (item) => `Edit ${placeOf(item)}`,
    activity: about("editing", "path"),
  },
  append: {
    icon: "pencil",
    emoji: "✍️",
    group: "edited",
    toolset: "file",
    title: (item) => `Append to ${placeOf(item)}`,
    activity: about("writing", "path"),
  },
  save: PLAIN,
  rollback: {
    ...PLAIN,
    icon: "back",
    group: "edited",
    title: (item) => (argumentIn(item, "preview") === true ? "Preview of a rollback" : item.label),
    activity: () => "rolling files back",
  },
  compress: {
    ...PLAIN,
    icon: "squeeze",
    title: () => "Compress the conversation",
    activity: () => "compressing the conversation",
  },
  web_fetch: {
    icon: "globe",
    emoji: "🌐",
    group: "fetched",
    toolset: "web",
    title: (item) => `Fetch ${textArgument(item, "url") ?? ""}`,
    activity: about("reading", "url"),
  },
  web_search: {
    icon: "globe",
    emoji: "🔍",
    group: "asked",
    toolset: "web",
    title: (item) => `Search the web: ${textArgument(item, "query") ?? ""}`,
    activity: about("searching the web:", "query"),
  },
  browser: {
    ...PLAIN,
    icon: "globe",
    group: "browsed",
    title: label,
  },
  memory: {
    icon: "book",
    emoji: "🧠",
    group: "memory",
    toolset: "memory",
    title: label,
    activity: () => "remembering",
  },
  skill: {
    ...PLAIN,
    icon: "book",
    group: "skill",
    toolset: "memory",
    title: label,
    activity: () => "using a skill",
  },
  session_search: {
    ...PLAIN,
    icon: "search",
    group: "searched",
    toolset: "memory",
    title: (item) => `Search sessions: ${textArgument(item, "words") ?? ""}`,
    activity: () => "searching sessions",
  },
  mcp: {
    ...PLAIN,
    icon: "plug",
    title: ({ name }) => foreignName(name),
  },
  delegate: {
    ...PLAIN,
    icon: "people",
    emoji: "🔀",
    toolset: "delegation",
    title: (item) => textArgument(item, "title") ?? item.label,
    activity: about("delegated:", "title"),
  },
  clarify: {
    ...PLAIN,
    icon: "question",
    emoji: "❓",
    toolset: "planning",
    title: () => "Asked you",
    activity: () => "asking you",
  },
  plan: {
    icon: "list",
    emoji: "📋",
    group: "planned",
    toolset: "planning",
    title: (item) => PLAN[textArgument(item, "action") ?? ""]?.(item) ?? item.label,
    activity: () => "planning",
  },
  todo: {
    icon: "list",
    emoji: "📋",
    group: "planned",
    toolset: "planning",
    title: label,
    activity: () => "planning",
  },
  other: PLAIN,
} as const satisfies Readonly<Record<string, ToolDisplay>>;

/** A tool of ours by its name; `mcp` and `browser` stand for all of theirs, `other` for what is not known. */
export type ToolKind = keyof typeof TOOL_DISPLAY;
export type ToolName = Exclude<ToolKind, "mcp" | "browser" | "other">;

export function toolKind(name: string): ToolKind {
  if (name.startsWith("mcp__")) return "mcp";
  if (name.startsWith("browser_")) return "browser";
  return Object.hasOwn(TOOL_DISPLAY, name) ? (name as ToolKind) : "other";
}

export function displayOf(name: string): ToolDisplay {
  return TOOL_DISPLAY[toolKind(name)];
}

function inFolder(item: ToolItem): string {
  const path = textArgument(item, "path");
  return path === null || path === "." ? "" : ` in ${path}`;
}

/** `mcp__server__tool` as people say it. */
function foreignName(name: string): string {
  const [, server = "", ...tool] = name.split("__");
  return tool.length === 0 ? name : `${tool.join("__")} · ${server}`;
}
