// Nothing may go on where nobody looks any more: terminals of a session that was deleted are closed, also when
// another server was told. They would be in no list, and take the place of others.
import type { Journal } from "../../../kernel/journal/journal.ts";
import { coalesced } from "../../../kernel/server/feed/coalesce.ts";
import type { Terminals } from "./terminals.ts";

const LOOK_MS = 250; // "all" comes whenever another process has written something

/** The same terminals. They stop looking when they end. */
export function endingWithSessions(
  terminals: Terminals,
  journal: Pick<Journal, "watch" | "reads">,
  logError: (error: unknown) => void,
): Terminals {
  const looking = coalesced(LOOK_MS, logError, async () => {
    for (const sessionId of terminals.sessions()) {
      if ((await journal.reads.sessionSummary(sessionId))?.deleted)
        await terminals.closeOf(sessionId);
    }
  });
  const unwatch = journal.watch((wake) => {
    if (wake === "all" || terminals.sessions().has(wake.logId)) looking.soon();
  });
  return {
    ...terminals,
    async open(asked) {
      const terminal = await terminals.open(asked);
      looking.soon(); // it may have been deleted meanwhile
      return terminal;
    },
    async end() {
      unwatch();
      looking.stop();
      await terminals.end();
    },
  };
}
