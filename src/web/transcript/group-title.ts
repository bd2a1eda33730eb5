// A group of calls in one line. Pure.
import type { ToolItem } from "../../kernel/state/run/items.ts";
import { plural } from "../text/format.ts";
import { textArgument } from "../../kernel/state/tools/arguments.ts";
import { displayOf, type ActionGroup } from "../../kernel/state/tools/display.ts";

const times = (count: number) => (count === 1 ? "once" : plural(count, "time"));

// In order of importance.
const WORDS: Record<ActionGroup, (calls: readonly ToolItem[]) => string> = {
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

/** Distinct targets: the same file read twice is one file. */
function places(calls: readonly ToolItem[]): number {
  return new Set(calls.map((call) => textArgument(call, "path") ?? call.callId)).size;
}

/** The newest call that has not ended. */
export function runningCall(calls: readonly ToolItem[]): ToolItem | undefined {
  return calls.findLast(({ status }) => status === "running" || status === "planned");
}

export function groupTitle(calls: readonly ToolItem[]): string {
  const running = runningCall(calls);
  return running ? displayOf(running.name).title(running) : summaryOf(calls);
}

/** "Ran 13 commands, read 6 files, edited 9 files". */
export function summaryOf(calls: readonly ToolItem[]): string {
  const byGroup = Map.groupBy(calls, (call) => displayOf(call.name).group);
  const actions = (Object.keys(WORDS) as ActionGroup[]).flatMap((group) => {
    const done = byGroup.get(group);
    return done ? [WORDS[group](done)] : [];
  });
  const stopped = calls.filter(({ status }) => status === "cancelled").length;
  const skipped = calls.filter(({ status }) => status === "skipped").length;
  if (stopped > 0) actions.push(`${stopped} stopped`);
  if (skipped > 0) actions.push(`${skipped} skipped`);
  const words = actions.join(", ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
