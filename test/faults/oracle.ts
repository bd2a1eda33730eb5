// Judges a trial by what is outside the product: the clients' frame logs, the ledger the commands
// wrote, and raw SQL on the journal. Shares no code with it.
import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Frame } from "../support/http.ts";
import { rawSql, type RawPlace } from "../support/journal/raw-journal.ts";
import { textOf } from "../support/runs.ts";
import type { Scenario } from "./scenario.ts";
import type { Said } from "./words.ts";

export type Stored = {
  session_id: string;
  log_id: string;
  seq: number;
  session_seq: number;
  body: string;
};
type Event = {
  type: string;
  seq: number;
  epoch: string;
  terminal: boolean;
  prev_hash: string;
  hash: string;
  payload: Record<string, unknown>;
};
const ONCE = new Set([
  "message.user",
  "message.completed",
  "turn.started",
  "tool.intent",
  "tool.started",
  "tool.done",
  "approval.requested",
  "approval.resolved",
  "clarify.requested",
  "clarify.resolved",
  "subagent.started",
  "done",
]);

export type Expected = Pick<Scenario, "effects" | "texts"> & { readonly said: readonly Said[] };

export async function readStored(place: RawPlace): Promise<Stored[]> {
  const sql = `SELECT s.session_id, l.log_id, e.seq, e.session_seq, e.body
    FROM events e JOIN logs l ON l.log_key = e.log_key JOIN sessions s ON s.session_key = e.session_key
    ORDER BY l.log_key, e.seq`;
  return (await rawSql(place, sql)) as Stored[];
}

/** One run: what it did, and what it ended with. */
export function judgeRun(
  stored: readonly Stored[],
  runId: string,
  workspace: string,
  expected: Expected,
): string[] {
  const own = stored.filter(({ log_id }) => log_id === runId);
  const below = stored.filter(({ log_id }) => log_id.startsWith(`${runId}.`));
  return [
    ...checkEffects(workspace, own, expected),
    ...checkText(own, expected),
    ...checkWords(own, below, expected),
  ];
}

/** Whether every run has ended: a subagent that was stopped with its parent ends a moment after it. */
export function areOver(stored: readonly Stored[]): boolean {
  const logs = Map.groupBy(stored, ({ log_id }) => log_id).values();
  return [...logs].every(
    (rows) =>
      !rows[0]?.body.includes('"type":"message.user"') ||
      (JSON.parse(rows.at(-1)?.body ?? "{}") as Event).terminal,
  );
}

/** Everything once, in order, and the same bytes that are stored. */
export function checkDelivery(own: Stored[], frames: Frame[]): string[] {
  const problems: string[] = [];
  frames.forEach((frame, index) => {
    const body = own[index]?.body;
    if (frame.data !== body)
      problems.push(`frame ${index + 1} (${frame.id}) is not the stored event`);
  });
  if (frames.length !== own.length)
    problems.push(`${frames.length} frames for ${own.length} events`);
  return problems.slice(0, 3);
}

/** Every log by itself, and the numbers of each session. */
export function checkLogs(stored: Stored[]): string[] {
  const problems: string[] = [];
  for (const [logId, rows] of Map.groupBy(stored, ({ log_id }) => log_id)) {
    let previous = "0".repeat(64);
    rows.forEach(({ seq, body }, index) => {
      if (seq !== index + 1) problems.push(`${logId}: seq ${seq} where ${index + 1} belongs`);
      const event = JSON.parse(body) as Event;
      const bytes = body.slice(0, body.lastIndexOf(',"hash":'));
      const digest = createHash("sha256").update(bytes).digest("hex");
      if (event.hash !== digest || event.prev_hash !== previous)
        problems.push(`${logId}: chain at ${seq}`);
      previous = digest;
    });
    const terminal = rows.filter(({ body }) => (JSON.parse(body) as Event).terminal);
    const isRun = rows[0]?.body.includes('"type":"message.user"');
    if (isRun && terminal.length !== 1)
      problems.push(`${logId}: ${terminal.length} terminal events`);
    if (isRun && terminal[0] !== rows.at(-1)) problems.push(`${logId}: something follows the end`);
  }
  for (const [id, rows] of Map.groupBy(stored, ({ session_id }) => session_id)) {
    const numbers = rows.map(({ session_seq }) => session_seq).toSorted((a, b) => a - b);
    if (numbers.some((number, index) => number !== index + 1))
      problems.push(`${id}: session_seq has gaps`);
  }
  return problems.slice(0, 3);
}

/** Nothing is in a log twice: a text is what its pieces say, and what happens once is told once. */
export function checkOnce(stored: Stored[]): string[] {
  const problems: string[] = [];
  for (const [logId, rows] of Map.groupBy(stored, ({ log_id }) => log_id)) {
    const said = new Map<unknown, string>();
    const emitted = new Set<string>();
    for (const { type, seq, payload } of rows.map(({ body }) => JSON.parse(body) as Event)) {
      const id = payload["message_id"];
      if (type === "token.delta" && payload["content_type"] === "text")
        said.set(id, `${said.get(id) ?? ""}${String(payload["delta"])}`);
      if (type === "message.completed" && (said.get(id) ?? "") !== payload["text"])
        problems.push(`${logId}: the text at ${seq} is not what its pieces say`);
      const key = `${type} ${JSON.stringify(payload)}`;
      if (ONCE.has(type) && emitted.has(key)) problems.push(`${logId}: ${type} twice, at ${seq}`);
      emitted.add(key);
    }
  }
  return problems.slice(0, 3);
}

/** Never twice, and never "done" without having happened. */
function checkEffects(workspace: string, own: Stored[], { effects }: Expected): string[] {
  const ledger = textOf(join(workspace, "ledger")).split("\n");
  const events = own.map(({ body }) => JSON.parse(body) as Event);
  return effects.flatMap((id) => {
    const times = ledger.filter((line) => line === id).length;
    const intent = events.find(
      ({ type, payload }) =>
        type === "tool.intent" && JSON.stringify(payload["plan"]).includes(`${id} `),
    );
    const done = events.find(
      ({ type, payload }) =>
        type === "tool.done" && payload["call_id"] === intent?.payload["call_id"],
    );
    if (times > 1) return [`${id} ran ${times} times`];
    if (done?.payload["status"] === "completed" && times === 0)
      return [`${id} is done but never ran`];
    if (times === 1 && !intent) return [`${id} ran without an intent`];
    return [];
  });
}

/** An accepted stop is how it ends, and nothing begins after it, below it neither. An accepted steer was read. */
function checkWords(own: Stored[], below: Stored[], { said }: Expected): string[] {
  const events = own.map(({ body }) => JSON.parse(body) as Event);
  const stopped = events.findIndex(({ payload }) => payload["status"] === "cancelling");
  const since = own[stopped]?.session_seq ?? Number.POSITIVE_INFINITY;
  const problems = [...own, ...below].flatMap(({ log_id, seq, session_seq, body }) => {
    const { type } = JSON.parse(body) as Event;
    if (session_seq <= since || !BEGINS.has(type)) return [];
    return [`${log_id}: ${type} at ${seq}, after it was stopped`];
  });
  for (const { says, id, accepted } of said) {
    if (says === "stop" || !accepted) continue;
    const at = events.findIndex(({ payload }) => payload["message_id"] === id);
    const isRead = events.slice(at).some(({ type }) => type === "turn.started");
    if (at < 0) problems.push(`${id} was accepted and is not there`);
    else if (stopped < 0 && !isRead) problems.push(`${id} was accepted and never read`);
  }
  return problems;
}

const BEGINS = new Set(["run.started", "turn.started", "tool.started", "approval.requested"]);

function checkText(own: Stored[], { texts, said }: Expected): string[] {
  const last = JSON.parse(own.at(-1)?.body ?? "{}") as Event;
  const stopped = said.some(({ says, accepted }) => says === "stop" && accepted);
  if (last.payload?.["status"] !== (stopped ? "cancelled" : "completed"))
    return [`the run ended ${String(last.payload?.["status"])}`];
  if (stopped) return [];
  const messages = own
    .map(({ body }) => JSON.parse(body) as Event)
    .filter(({ type }) => type === "message.completed")
    .map(({ payload }) => payload["text"] as string);
  return texts.flatMap((text) => {
    const times = messages.filter((message) => message.includes(text)).length;
    return times === 1 ? [] : [`“${text}” was said ${times} times`];
  });
}
