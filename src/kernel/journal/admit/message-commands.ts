// Edits messages that no model has read: of a queued run, or of a steer. Whether one has read it is decided in the
// transaction that changes the message.
import type { EditMessage, Outcome } from "../../events/commands.ts";
import type { Draft } from "../../events/events.ts";
import type { LogRow } from "../append.ts";
import { once, outcome } from "./idempotency.ts";
import { onRun } from "./on-run.ts";
import { publishQueue } from "./queue.ts";
import { cancel } from "./run-commands.ts";
import { flag, json, rowsOf, type RowOf } from "../rows.ts";
import { MESSAGES } from "../tables/lists.ts";
import { pick } from "../tables/table.ts";
import type { Transact, Tx } from "../transaction.ts";

type Ids = { readonly runId: string; readonly messageId: string };
const MESSAGE = rowsOf("messages", { ...pick(MESSAGES, "seq", "text"), starts: flag });
type Message = RowOf<typeof MESSAGE>;
const EVENT = rowsOf("events", { body: json<Draft>() });

export function editMessage(transact: Transact) {
  return ({ runId, messageId }: Ids, command: EditMessage): Promise<Outcome | undefined> =>
    onRun(transact, runId, async (tx, run) => {
      const message = await findMessage(tx, run, messageId);
      if (!message) return undefined;
      const scope = `edit:${runId}:${messageId}`;
      return once(tx, { scope, key: command.command_id, command }, () =>
        change(tx, run, { message, messageId, text: command.text }),
      );
    });
}

/** The current text: empty if withdrawn, truncated if very long. */
async function findMessage(tx: Tx, run: LogRow, messageId: string): Promise<Message | undefined> {
  const sql = `SELECT m.seq, m.text, m.seq = 1 AS starts FROM messages m
    WHERE m.log_key = ? AND m.message_id = ? AND m.role = 'user' ORDER BY m.seq DESC LIMIT 1`;
  return MESSAGE.get(tx, sql, run.log_key, messageId);
}

type Change = { message: Message; messageId: string; text: string | null };

async function change(tx: Tx, run: LogRow, { message, messageId, text }: Change): Promise<Outcome> {
  const about = { run_id: run.log_id, session_id: run.session_id };
  const { starts } = message;
  const isBack = message.text === "";
  if (text === null && isBack) {
    return outcome("duplicate", { ...about, message: "It was taken back already." });
  }
  if (isBack || run.ended_at !== null || run.status === "cancelling") {
    const why = isBack ? "It was taken back." : "The run has ended.";
    return outcome("not_active", { ...about, message: why });
  }
  if (text === message.text)
    return outcome("duplicate", { ...about, message: "It says so already." });
  if (starts ? run.fence > 0 : await wasRead(tx, run, message)) {
    return outcome("not_active", { ...about, message: "Too late: a model has read it." });
  }
  const edited: Draft = { type: "message.edited", payload: { message_id: messageId, text } };
  if (starts && text === null) {
    const event_id = await cancel(tx, run, { reason: "taken back", before: [edited] });
    return outcome("accepted", { ...about, event_id, message: "Taken back." });
  }
  const event_id = await tx.append(run.log_id, [edited]);
  if (starts) await publishQueue(tx, run);
  return outcome("accepted", { ...about, event_id, message: "Changed." });
}

/** A model call begins with `turn.started`, a summary with `compaction`: each reads everything before it. */
async function wasRead(tx: Tx, run: LogRow, { seq }: Message): Promise<boolean> {
  const sql = `SELECT body FROM events WHERE log_key = ? AND seq > ?
    AND (body LIKE '%"type":"turn.started"%' OR body LIKE '%"type":"compaction"%')`;
  return (await EVENT.all(tx, sql, run.log_key, seq)).some(({ body }) => reads(body));
}

/** A message may contain this text, so the parsed type is compared too. */
function reads({ type, payload }: Draft): boolean {
  return type === "turn.started" || (type === "compaction" && payload.phase === "started");
}
