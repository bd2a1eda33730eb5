// A group of calls in one line: what is going on, or what was done. Pure.
import type { ToolItem } from "../../kernel/state/run/run-items.ts";
import { plural } from "../text/format.ts";
import { kindOf, textArgument, type ToolKind } from "../tools/tool-kind.ts";
import { TITLE } from "../tools/tool-title.ts";

type Deed =
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

const DEED: Record<ToolKind, Deed> = {
  exec: "ran",
  process: "ran",
  read: "read",
  list_files: "listed",
  search_files: "searched",
  write: "edited",
  edit: "edited",
  append: "edited",
  rollback: "edited",
  compress: "used",
  web_fetch: "fetched",
  web_search: "asked",
  browser: "browsed",
  memory: "memory",
  skill: "skill",
  session_search: "searched",
  mcp: "used",
  delegate: "used",
  clarify: "used",
  plan: "planned",
  todo: "planned",
  other: "used",
};

const times = (count: number) => (count === 1 ? "once" : plural(count, "time"));

// In the order people want to know it.
const WORDS: Record<Deed, (calls: readonly ToolItem[]) => string> = {
  ran: ({ length }) => `ran ${plural(length, "command")}`,
  read: (calls) => `read ${plural(places(calls), "file")}`,
  edited: (calls) => `edited ${plural(places(calls), "file")}`,
  listed: (calls) => `listed ${plural(places(calls), "folder")}`,
  searched: ({ length }) => `searched ${times(length)}`,
  fetched: ({ length }) => `fetched ${plural(length, "page")}`,
  asked: ({ length }) => `searched the web ${times(length)}`,
  browsed: ({ length }) => `used the browser ${times(length)}`,
  memory: ({ length }) => `used its memory ${times(length)}`,
  skill: ({ length }) => `looked at ${plural(length, "skill")}`,
  planned: ({ length }) => `updated the plan ${times(length)}`,
  used: ({ length }) => `used tools ${times(length)}`,
};

/** What it was, however often: the same file read twice is one file. */
function places(calls: readonly ToolItem[]): number {
  return new Set(calls.map((call) => textArgument(call, "path") ?? call.callId)).size;
}

/** The newest call that is not over yet. */
export function runningCall(calls: readonly ToolItem[]): ToolItem | undefined {
  return calls.findLast(({ status }) => status === "running" || status === "planned");
}

export function groupTitle(calls: readonly ToolItem[]): string {
  const running = runningCall(calls);
  return running ? TITLE[kindOf(running)](running) : summaryOf(calls);
}

/** "Ran 13 commands, read 6 files, edited 9 files". */
export function summaryOf(calls: readonly ToolItem[]): string {
  const byDeed = Map.groupBy(calls, (call) => DEED[kindOf(call)]);
  const deeds = (Object.keys(WORDS) as Deed[]).flatMap((deed) => {
    const done = byDeed.get(deed);
    return done ? [WORDS[deed](done)] : [];
  });
  const stopped = calls.filter(({ status }) => status === "cancelled").length;
  const skipped = calls.filter(({ status }) => status === "skipped").length;
  if (stopped > 0) deeds.push(`${stopped} stopped`);
  if (skipped > 0) deeds.push(`${skipped} skipped`);
  const words = deeds.join(", ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
