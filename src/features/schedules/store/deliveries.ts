// What becomes of the answers of schedules. An answer for a messenger is handed to its outbox in the transaction that
// says so, once per run; what the messenger then made of it is looked up there.
import { targetOf, type Target } from "../commands.ts";
import type { PayloadOfSystem } from "../../../kernel/events/system-events.ts";
import type { Cron } from "./schedules.ts";
import { putDelivery } from "../../messengers/store/outbox.ts";
import { appendToSystemLog } from "../../../kernel/journal/system-log/system-log.ts";
import type { Sql } from "../../../kernel/journal/sql.ts";
import type { Transact, Tx } from "../../../kernel/journal/transaction.ts";
import { json, nullable, rowsOf, text, type RowOf } from "../../../kernel/journal/rows.ts";

const ROW = `SELECT d.run_id, d.job_id, d.session_id, d.target, d.state, l.status
  FROM deliveries d JOIN logs l ON l.log_id = d.run_id`;
const ENDED = `${ROW} WHERE d.state = 'waiting' AND l.ended_at IS NOT NULL ORDER BY d.changed_at LIMIT 50`;
const HANDED = `${ROW} WHERE d.state = 'ready' ORDER BY d.changed_at LIMIT 200`;
const STATE = "SELECT state FROM deliveries WHERE run_id = ?";
const TEXT = `SELECT m.text FROM messages m JOIN logs l ON l.log_key = m.log_key
  WHERE l.log_id = ? AND m.role = 'assistant' AND m.text <> '' ORDER BY m.seq DESC LIMIT 1`;
const NAME = "SELECT body FROM cron_jobs WHERE job_id = ?";
const SENT = `SELECT 1 AS yes FROM gateway_messages WHERE platform = ? AND part = ? AND state = 'sent'`;
// Pieces are called like the delivery, or so with "/" and a number, which is what comes before "0".
const REFUSED = `SELECT problem FROM gateway_messages
  WHERE platform = ?1 AND part >= ?2 AND part < ?2 || '0' AND state = 'failed' LIMIT 1`;

const DeliveryRow = rowsOf("deliveries", {
  run_id: text,
  job_id: text,
  session_id: text,
  target: text,
  state: text,
  status: text, // of the run
});
type DeliveryRow = RowOf<typeof DeliveryRow>;
const SAID = rowsOf("messages", { text });
const NAMED = rowsOf("cron_jobs", { body: json<{ name?: string }>() });
const PROBLEM = rowsOf("gateway_messages", { problem: nullable(text) });
type Messenger = Extract<Target, { kind: "messenger" }>;
type End = Pick<PayloadOfSystem<"cron.delivered">, "state" | "reason">;

export function deliveries(sql: Sql, transact: Transact): Pick<Cron, "settleDeliveries"> {
  return {
    async settleDeliveries() {
      const ended = await DeliveryRow.all(sql, ENDED);
      for (const row of ended) await transact(lockOf(row), (tx) => change(tx, row, settled));
      const handed = await DeliveryRow.all(sql, HANDED);
      for (const row of handed) {
        if (await madeOf(sql, row)) await transact(lockOf(row), (tx) => change(tx, row, madeOf));
      }
      return { settled: ended.length, handed: handed.length };
    },
  };
}

const lockOf = ({ run_id }: DeliveryRow) => `delivery ${run_id}`;
const idOf = ({ run_id }: DeliveryRow) => `cron:${run_id}`;

/** Only from the state it was seen in: of two who want to, one does. */
async function change(
  tx: Tx,
  row: DeliveryRow,
  next: (tx: Tx, row: DeliveryRow) => Promise<End | undefined>,
): Promise<void> {
  if ((await tx.get(STATE, row.run_id))?.["state"] !== row.state) return;
  const end = await next(tx, row);
  if (!end) return;
  const { job_id, run_id, session_id, target, status } = row;
  const payload = { by: "house", job_id, run_id, session_id, target, status, ...end };
  await appendToSystemLog(tx, [{ type: "cron.delivered", payload }]);
}

/** The run has ended. */
async function settled(tx: Tx, row: DeliveryRow): Promise<End> {
  const target = targetOf(row.target);
  if (target?.kind === "channel") {
    return { state: "delivered", reason: "owed to the device until it has read it" };
  }
  if (target?.kind !== "messenger") return { state: "delivered", reason: "" };
  return handOver(tx, row, target);
}

async function handOver(tx: Tx, row: DeliveryRow, target: Messenger): Promise<End> {
  const { platform, address } = target;
  const known = await tx.get("SELECT enabled FROM gateway_platforms WHERE platform = ?", platform);
  if (known?.["enabled"] !== 1) {
    return { state: "undelivered", reason: `${platform} is not configured` };
  }
  const text = await textOf(tx, row);
  const about = { platform, id: idOf(row), text, ...(address !== null && { channel_id: address }) };
  if (await putDelivery(tx, about)) return { state: "ready", reason: "" };
  return { state: "undelivered", reason: `${platform} has no home channel` };
}

/** What the run said last, and how it ended where that is not as it should be. */
async function textOf(tx: Tx, { run_id, job_id, status }: DeliveryRow): Promise<string> {
  const said = (await SAID.get(tx, TEXT, run_id))?.text ?? "";
  const name = (await NAMED.get(tx, NAME, job_id))?.body.name;
  if (status === "completed") return said || `“${name ?? job_id}” is done, without a word.`;
  return [`“${name ?? job_id}” is ${status}.`, said].filter((part) => part !== "").join("\n\n");
}

/** What the messenger made of it; undefined: it is still at it. */
async function madeOf(sql: Pick<Sql, "get" | "all">, row: DeliveryRow): Promise<End | undefined> {
  const target = targetOf(row.target) as Messenger;
  const part = `delivery:${idOf(row)}`;
  const refused = await PROBLEM.get(sql, REFUSED, target.platform, `piece:${part}`);
  if (refused) return { state: "failed", reason: refused.problem ?? "" };
  if (await sql.get(SENT, target.platform, part)) return { state: "delivered", reason: "" };
  return undefined;
}
