// Compressing a conversation. The console wants the result in the answer; it is a run like any other, so
// the answer waits for its end, for a while, and otherwise names the run.
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Journal } from "../../../kernel/journal/journal.ts";
import type { RunRecord } from "../../../kernel/api/records/records.ts";
import { ConsoleCompress } from "../wire/bodies.ts";
import { both, ConsoleError, keyOf, take } from "../envelopes.ts";
import { historyOf } from "../sessions/session-history.ts";
import { backwards } from "../stream/backwards.ts";
import { ended } from "../wait-for-run.ts";

const WAIT_S = 20;

export async function compress(journal: Journal, request: FastifyRequest, reply: FastifyReply) {
  const asked = take(ConsoleCompress, request.body);
  const { session_id, focus_topic = null, wait_s = WAIT_S } = asked;
  const key = keyOf(asked, request);
  const outcome = await journal.commands.compress(session_id, {
    ...(focus_topic && { focus: focus_topic }),
    ...(key !== undefined && { command_id: key }),
  });
  if (!outcome) {
    const message = `There is no session ${session_id}.`;
    throw new ConsoleError("session_not_found", message, { session_id });
  }
  const about = { session_id, run_id: outcome.run_id, focus_topic };
  if (!outcome.accepted || outcome.run_id === null) {
    const reason = "not_enough_messages";
    return both({ ...about, compressed: false, reason, message: outcome.safe_message });
  }
  const gone = new AbortController();
  reply.raw.once("close", () => gone.abort());
  const run = await ended(journal, outcome.run_id, { waitMs: wait_s * 1000, gone: gone.signal });
  if (!run) return both({ ...about, compressed: false, reason: "running", status: "started" });
  return both({ ...about, status: run.status, ...(await resultOf(journal, run)) });
}

async function resultOf(journal: Journal, { run_id, session_id, status }: RunRecord) {
  for await (const { type, payload } of backwards(journal, run_id)) {
    if (type !== "compaction" || payload.phase !== "completed") continue;
    const { original_tokens, compacted_tokens, summary } = payload;
    const session = await journal.reads.sessionSummary(session_id);
    const past = session ? await historyOf(journal, session, Infinity) : [];
    // Its client says "compressed from … to … messages". The summary stands for all of them.
    const lengths = { original_length: past.length, new_length: 1, unit: "messages" };
    return { compressed: true, ...lengths, original_tokens, compacted_tokens, summary };
  }
  return { compressed: false, reason: status };
}
