// Messages of text-only devices. A device can only send text, so this decides what the text is: an answer to a pending
// request, or a new run. The message, the decision and its effects are one transaction, so a message that is sent again
// (after a crash, by two sockets at once) never counts twice (W8).
import { hash } from "node:crypto";
import type { ChannelText } from "../../events/commands.ts";
import { ApiError } from "../../events/errors.ts";
import { answerOf } from "./channel-answers.ts";
import { CHANNEL_MESSAGE, toMessage } from "../read/channel-reads.ts";
import type { ChannelMessage, ChannelTaken, Commands, Defaults } from "../journal.ts";
import { findSession } from "./new-session.ts";
import { respondApproval, respondClarify } from "./request-commands.ts";
import { createSession } from "./start-commands.ts";
import { json, oneOf, rowsOf, text } from "../rows.ts";
import { REQUESTS, SESSIONS } from "../tables/runs.ts";
import { pick } from "../tables/table.ts";
import type { Transact, Tx } from "../transaction.ts";
import { sayOrDo, typedIn } from "./typed-commands.ts";

const BY = "terminal";

export function takeChannelMessage(transact: Transact): Commands["takeChannelMessage"] {
  return (command, defaults) =>
    transact(command.session_id, async (tx): Promise<ChannelTaken> => {
      const { session_id, message_id } = command;
      const text_hash = hash("sha256", command.text);
      const known = await find(tx, command);
      if (known) {
        return { duplicate: true, sameText: known.text_hash === text_hash, message: known };
      }
      // A command ("/stop") answers nothing: it is executed even if a request is pending.
      const answered = typedIn(command.text) ? undefined : await answer(tx, command);
      const place = answered ?? (await start(tx, command, defaults));
      await tx.run(
        `INSERT INTO channel_messages (session_id, message_id, text_hash, run_id, after_seq, created_at)
         VALUES (?, ?, ?, ?, ?, ?)`,
        session_id,
        message_id,
        text_hash,
        place.run_id,
        place.after_seq,
        tx.now,
      );
      const message = { session_id, message_id, text_hash, ...place, replied_at: null };
      return { duplicate: false, sameText: true, message };
    });
}

/** Only the first delivery counts. */
export function markReplied(transact: Transact): Commands["markReplied"] {
  return ({ session_id, message_id }) =>
    transact(null, async (tx) => {
      const sql = `UPDATE channel_messages SET replied_at = ?
        WHERE session_id = ? AND message_id = ? AND replied_at IS NULL`;
      await tx.run(sql, tx.now, session_id, message_id);
    });
}

type Named = Pick<ChannelMessage, "session_id" | "message_id">;

async function find(
  tx: Tx,
  { session_id, message_id }: Named,
): Promise<ChannelMessage | undefined> {
  const row = await tx.get(`${CHANNEL_MESSAGE} AND message_id = ?`, session_id, message_id);
  return row && toMessage(row);
}

type Place = Pick<ChannelMessage, "run_id" | "after_seq">;

/** A text that answers nothing gets the request again, unless it is to become a run after the waiting one. */
async function answer(tx: Tx, command: ChannelText): Promise<Place | undefined> {
  const { session_id, text, answers, by = BY } = command;
  const all = await waitingIn(tx, session_id);
  const [oldest] = all;
  if (!oldest) return undefined;
  // A yes to the request that was shown must not allow another request that came in its place or before it.
  const meant = answers === undefined ? oldest : all.find((each) => each.request_id === answers);
  const { run_id: runId, request_id: id, root_run_id } = meant ?? oldest;
  const given = meant && answerOf(meant, text);
  if (!given && command.unanswered === "queue") return undefined;
  if (given?.kind === "approval") {
    await respondApproval(within(tx))({ runId, approvalId: id }, { choice: given.choice, by });
  } else if (given) {
    const { response } = given;
    await respondClarify(within(tx))({ runId, clarifyId: id }, { response, by });
  }
  const head = "SELECT seq FROM sessions WHERE session_id = ?";
  return { run_id: root_run_id, after_seq: (await HEAD.one(tx, head, session_id)).seq };
}

// The session's one active run and everything below it, unless it is being stopped.
const WAITING = `
  WITH RECURSIVE active (log_key, log_id, root_run_id, status) AS (
    SELECT * FROM (
      SELECT l.log_key, l.log_id, l.log_id AS root_run_id, l.status FROM logs l JOIN sessions s USING (session_key)
      WHERE s.session_id = ? AND l.kind = 'run' AND l.ended_at IS NULL AND l.parent_run_id IS NULL
        AND l.quarantined IS NULL
      ORDER BY coalesce(l.position, l.log_key) LIMIT 1) AS first
    WHERE status <> 'cancelling'
    UNION ALL
    SELECT l.log_key, l.log_id, a.root_run_id, l.status
    FROM active a JOIN logs l ON l.parent_run_id = a.log_id
    WHERE l.ended_at IS NULL AND l.quarantined IS NULL AND l.status <> 'cancelling')
  SELECT r.request_id, r.kind, r.choices, r.always, a.log_id AS run_id, a.root_run_id
  FROM active a JOIN requests r USING (log_key) WHERE r.answer IS NULL
  ORDER BY r.created_at, r.request_id`;

const HEAD = rowsOf("sessions", pick(SESSIONS, "seq"));
const ASKED = rowsOf("requests", {
  ...pick(REQUESTS, "request_id", "always"),
  kind: oneOf(["approval", "clarify", "unknown_outcome"]),
  choices: json<string[]>(),
  run_id: text,
  root_run_id: text,
});

/** Oldest first. */
const waitingIn = (tx: Tx, sessionId: string) => ASKED.all(tx, WAITING, sessionId);

async function start(tx: Tx, command: ChannelText, defaults: Defaults): Promise<Place> {
  const { session_id, message_id, text, source, title, metadata, attachments } = command;
  if (title !== undefined && !(await findSession(tx, session_id))) {
    await createSession(within(tx))({ session_id, title, source }, defaults);
  }
  const started = await sayOrDo(within(tx), { inChannel: true })(
    {
      session_id,
      message: text,
      message_id,
      source,
      ...(metadata && { metadata }),
      ...(attachments && { attachments }),
    },
    defaults,
    { scope: `channel:${session_id}`, key: message_id, body: text },
  );
  if (started.run_id === null || !started.accepted) {
    throw new ApiError("rate_limited", started.safe_message); // the queue is full: nothing was accepted
  }
  return { run_id: started.run_id, after_seq: 0 };
}

/** A command inside this transaction. */
function within(tx: Tx): Transact {
  return (_about, work) => work(tx);
}
