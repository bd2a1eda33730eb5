// Judges a trial by what is outside the product: the client's frame log, the ledger the commands
// wrote, and raw SQL on the file. Shares no code with the journal.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Frame } from "../support/http.ts";
import type { Place } from "../support/program.ts";
import type { Scenario } from "./scenario.ts";

type Stored = { log_id: string; seq: number; session_seq: number; body: string };
type Event = {
  type: string;
  seq: number;
  terminal: boolean;
  prev_hash: string;
  hash: string;
  payload: Record<string, unknown>;
};

export function judge(
  place: Place,
  run: { runId: string; frames: Frame[] },
  scenario: Scenario,
): string[] {
  const stored = readStored(place);
  const own = stored.filter(({ log_id }) => log_id === run.runId);
  return [
    ...checkDelivery(own, run.frames),
    ...checkLogs(stored),
    ...checkEffects(place, own, scenario),
    ...checkText(own, scenario),
  ];
}

function readStored({ home }: Place): Stored[] {
  using db = new DatabaseSync(join(home, "journal.db"));
  const sql = `SELECT l.log_id, e.seq, e.session_seq, e.body FROM events e JOIN logs l USING (log_key)
    ORDER BY l.log_key, e.seq`;
  return db.prepare(sql).all() as Stored[];
}

/** Everything once, in order, and the same bytes that are stored. */
function checkDelivery(own: Stored[], frames: Frame[]): string[] {
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

function checkLogs(stored: Stored[]): string[] {
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
  const numbers = stored.map(({ session_seq }) => session_seq).toSorted((a, b) => a - b);
  if (numbers.some((number, index) => number !== index + 1)) problems.push("session_seq has gaps");
  return problems.slice(0, 3);
}

/** Never twice, and never "done" without having happened. */
function checkEffects({ workspace }: Place, own: Stored[], { effects }: Scenario): string[] {
  const ledger = readLedger(join(workspace, "ledger"));
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

function checkText(own: Stored[], { texts }: Scenario): string[] {
  const last = JSON.parse(own.at(-1)?.body ?? "{}") as Event;
  if (last.payload?.["status"] !== "completed")
    return [`the run ended ${String(last.payload?.["status"])}`];
  const messages = own
    .map(({ body }) => JSON.parse(body) as Event)
    .filter(({ type }) => type === "message.completed")
    .map(({ payload }) => payload["text"] as string);
  return texts.flatMap((text) => {
    const times = messages.filter((message) => message.includes(text)).length;
    return times === 1 ? [] : [`“${text}” was said ${times} times`];
  });
}

function readLedger(path: string): string[] {
  try {
    return readFileSync(path, "utf8").split("\n");
  } catch {
    return [];
  }
}
