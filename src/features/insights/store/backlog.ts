// Runs of an earlier release, counted beside other work: an old journal opens at once, and its figures fill up from
// the newest run on. What is read is added in a short transaction that also says how far it came, so that each event
// is counted once, whoever counts and whatever is killed meanwhile.
import type { Draft } from "../../../kernel/events/events.ts";
import { own } from "../../../kernel/events/own.ts";
import { verify } from "../../../kernel/journal/hash-chain.ts";
import type { Insights } from "./insights.ts";
import { projectInsights } from "./projection.ts";
import type { Sql, Statement } from "../../../kernel/journal/sql.ts";
import type { Transact } from "../../../kernel/journal/transaction.ts";
import { cellsOf, integer, rowsOf, text, type RowOf } from "../../../kernel/journal/rows.ts";

const EVENTS_AT_ONCE = 2_000;
const RUNS_AT_ONCE = 50;
const NEXT = `SELECT b.log_key, b.seq, b.counted, l.session_key FROM insight_backlog b JOIN logs l USING (log_key)
  ORDER BY b.log_key DESC LIMIT ${RUNS_AT_ONCE}`;
/** Most of a log is words, which are neither read nor parsed. */
const EVENTS = `SELECT seq, session_seq, body FROM events WHERE log_key = ? AND seq > ? AND seq <= ? AND (${Object.keys(
  projectInsights,
)
  .map((type) => `body LIKE '%"type":"${type}"%'`)
  .join(" OR ")}) ORDER BY seq`;

/** Sessions are held before what was counted of them, as by everybody who appends: nobody waits in a circle. */
const HOLD = "UPDATE sessions SET seq = seq WHERE session_key = ?";

const Behind = rowsOf("insight_backlog", {
  log_key: integer,
  seq: integer,
  counted: integer,
  session_key: integer,
});
type Behind = RowOf<typeof Behind>;
const LEFT = rowsOf("insight_backlog", { left: integer });
const EVENT = cellsOf("events", [integer, integer, text]);
type Counted = { readonly run: Behind; readonly to: number; readonly adds: readonly Statement[] };

export function insightsBacklog(sql: Sql, transact: Transact): Pick<Insights, "countOlderRuns"> {
  return {
    async countOlderRuns() {
      const runs = await Behind.all(sql, NEXT);
      if (runs.length === 0) return 0;
      const counted: Counted[] = [];
      let room = EVENTS_AT_ONCE;
      for (const run of runs) {
        if (room <= 0) break;
        const to = Math.min(run.seq, run.counted + room);
        counted.push({ run, to, adds: await addsOf(sql, run, to) });
        room -= to - run.counted;
      }
      await transact("insights", async (tx) => {
        for (const key of keysIn(counted)) await tx.run(HOLD, key);
        for (const { run, to, adds } of counted) {
          // Not as it was read: somebody else counted it, or everything was made anew.
          const { log_key, counted: from } = run;
          const moved = "UPDATE insight_backlog SET counted = ? WHERE log_key = ? AND counted = ?";
          if ((await tx.run(moved, to, log_key, from)) === 0) continue;
          await tx.runAll(adds);
          if (to === run.seq)
            await tx.run("DELETE FROM insight_backlog WHERE log_key = ?", log_key);
        }
      });
      return (await LEFT.one(sql, "SELECT count(*) AS left FROM insight_backlog")).left;
    },
  };
}

function keysIn(counted: readonly Counted[]): number[] {
  return [...new Set(counted.map(({ run }) => run.session_key))].toSorted((a, b) => a - b);
}

async function addsOf(sql: Sql, run: Behind, to: number): Promise<Statement[]> {
  const { log_key, session_key, counted } = run;
  const rows = await EVENT.all(sql, EVENTS, log_key, counted, to);
  return rows.flatMap(([seq, sessionSeq, body]) => {
    if (verify(body, undefined) === undefined) return []; // damaged: verify() quarantines its log
    const event = JSON.parse(body) as Draft & { created_at: number };
    const place = { seq, sessionSeq, at: event.created_at };
    const count = own(projectInsights, event.type);
    return count?.({ log_key, session_key }, event.payload as never, place) ?? [];
  });
}
