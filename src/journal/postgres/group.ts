// Storing a group of appends in Postgres. A process knows the heads of the runs it works on, so it seals their next
// events by itself and sends them in one round trip; the database checks that the heads are still those. Where they
// are not (a command came in between, another runner has the run), or the answer was lost, the heads are locked and
// looked at, and what is missing is stored. An event that is there already is known by its hash, never stored twice.
import type pg from "pg";
import type { Draft } from "../../protocol/events.ts";
import { refusalOf, SELECT_LOG, sealed, wakeOf, type LogRow, type Sealing } from "../append.ts";
import { mergeDeltas, type Entry, type StoreGroup } from "../group-commit.ts";
import type { AppendResult, Wake } from "../journal.ts";
import { MOVED } from "./append-events.ts";
import { isLost, type Connection } from "./connection.ts";
import { all } from "./sql-client.ts";
import { storeEvents, type Stored } from "./store-events.ts";

const MOST_HEADS = 10_000;

type Asked = {
  readonly entry: Entry;
  readonly drafts: readonly Draft[];
  /** Heads that were sent without an answer: any of them may be stored. */
  readonly sent: LogRow[];
};
type Settled = {
  readonly asked: Asked;
  readonly result: AppendResult | { readonly error: unknown };
};

export type Groups = {
  readonly connection: Connection;
  readonly sealing: Sealing;
  readonly published: (wakes: Wake[]) => void;
};

export function postgresGroups({ connection, sealing, published }: Groups): StoreGroup {
  const heads = new Map<string, LogRow>();
  const sessions = new Map<number, number>(); // their seq, which all their runs move

  async function store(group: readonly Entry[]): Promise<void> {
    const asked = group.map((entry) => ({ entry, drafts: mergeDeltas(entry.drafts), sent: [] }));
    const wakes: Wake[] = [];
    try {
      const settled = (await atOnce(asked, wakes)) ?? (await lookingFirst(asked, wakes));
      published(wakes);
      for (const { asked: each, result } of settled) {
        if ("error" in result) each.entry.reject(result.error);
        else each.entry.resolve(result);
      }
    } catch (error) {
      for (const { entry } of asked) entry.reject(error);
    }
  }

  /** Undefined when something else must be looked at first. */
  async function atOnce(
    asked: readonly Asked[],
    wakes: Wake[],
  ): Promise<readonly Settled[] | undefined> {
    const known = new Map<string, LogRow>();
    for (const { entry } of asked) {
      const head = heads.get(entry.claim.runId);
      if (!head || refusalOf(head, entry.claim)) return undefined;
      const session_seq = sessions.get(head.session_key) ?? head.session_seq;
      known.set(head.log_id, { ...head, session_seq });
    }
    const plan = planned(asked, known, sealing);
    if (plan.settled.some(({ result }) => !("ok" in result && result.ok))) return undefined;
    try {
      await connection.withClient((client) => storeEvents(client, plan.stored));
    } catch (error) {
      for (const { log_id } of known.values()) heads.delete(log_id);
      if ((error as { code?: string }).code === MOVED || isLost(error)) {
        if (isLost(error)) noteSent(plan);
        return undefined;
      }
      throw error;
    }
    remember(plan, wakes);
    return plan.settled;
  }

  async function lookingFirst(asked: readonly Asked[], wakes: Wake[]): Promise<readonly Settled[]> {
    return connection.persist(async () => {
      const plan = await connection.withClient(async (client) => {
        await client.query("BEGIN");
        try {
          const known = await lockedHeads(client, asked);
          const made = planned(asked, known, sealing, await found(client, asked, known));
          if (made.stored.length > 0) {
            noteSent(made);
            await storeEvents(client, made.stored);
          }
          await client.query("COMMIT");
          return made;
        } catch (error) {
          if (!isLost(error)) await client.query("ROLLBACK").catch(() => undefined);
          throw error;
        }
      });
      remember(plan, wakes);
      return plan.settled;
    }, Number.POSITIVE_INFINITY);
  }

  function remember({ stored, heads: moved }: Plan, wakes: Wake[]): void {
    if (heads.size > MOST_HEADS) heads.clear();
    if (heads.size === 0) sessions.clear();
    const told = new Map<string, Wake>();
    for (const { appended } of stored) told.set(appended.head.log_id, wakeOf(appended.head));
    wakes.push(...told.values());
    for (const head of moved.values()) {
      sessions.set(head.session_key, head.session_seq);
      if (head.ended_at === null) heads.set(head.log_id, head);
      else heads.delete(head.log_id);
    }
  }

  return { store };
}

type Plan = {
  readonly settled: readonly Settled[];
  readonly stored: readonly (Stored & { readonly asked: Asked })[];
  readonly heads: ReadonlyMap<string, LogRow>; // as they will be
};

/** What comes of each, in order, given the heads as they are. `there`: what turned out to be stored already. */
function planned(
  asked: readonly Asked[],
  known: ReadonlyMap<string, LogRow>,
  sealing: Sealing,
  there: ReadonlyMap<Asked, number> = new Map(),
): Plan {
  const heads = new Map(known);
  const settled: Settled[] = [];
  const stored: (Stored & { asked: Asked })[] = [];
  const sessionSeqs = new Map<number, number>();
  for (const each of asked) {
    const { claim, options } = each.entry;
    const seq = there.get(each);
    if (seq !== undefined) {
      settled.push({ asked: each, result: { ok: true, seq } });
      continue;
    }
    const head = heads.get(claim.runId);
    const reason = refusalOf(head, claim, options);
    if (!head || reason) {
      settled.push({ asked: each, result: { ok: false, reason: reason ?? "fenced" } });
      continue;
    }
    const log = { ...head, session_seq: sessionSeqs.get(head.session_key) ?? head.session_seq };
    try {
      const appended = sealed(log, each.drafts, sealing);
      sessionSeqs.set(log.session_key, appended.head.session_seq);
      heads.set(log.log_id, appended.head);
      stored.push({ log, appended, asked: each });
      settled.push({ asked: each, result: { ok: true, seq: appended.head.seq } });
    } catch (error) {
      settled.push({ asked: each, result: { error } }); // what one writer did wrong is its own affair
    }
  }
  return { settled, stored, heads: withSessions(heads, sessionSeqs) };
}

/** Runs of one session share its count. */
function withSessions(
  heads: ReadonlyMap<string, LogRow>,
  sessionSeqs: ReadonlyMap<number, number>,
): Map<string, LogRow> {
  return new Map(
    [...heads].map(([id, head]) => [
      id,
      { ...head, session_seq: sessionSeqs.get(head.session_key) ?? head.session_seq },
    ]),
  );
}

function noteSent({ stored }: Plan): void {
  for (const { asked, appended } of stored) asked.sent.push(appended.head);
}

const LOCK_SESSIONS = `
  SELECT 1 FROM sessions WHERE session_key IN (
    SELECT session_key FROM logs WHERE log_id IN (SELECT value FROM json_each(?)))
  ORDER BY session_key FOR UPDATE`;
const LOCKED = `${SELECT_LOG.replace("l.log_id = ?", "l.log_id IN (SELECT value FROM json_each(?))")}
  ORDER BY l.log_key FOR UPDATE OF l`;

async function lockedHeads(client: pg.ClientBase, asked: readonly Asked[]) {
  const ids = JSON.stringify([...new Set(asked.map(({ entry }) => entry.claim.runId))]);
  await all(client, LOCK_SESSIONS, [ids]);
  const rows = (await all(client, LOCKED, [ids])) as LogRow[];
  return new Map(rows.map((row) => [row.log_id, row]));
}

/** Of what was sent without an answer: the seq at which it is, if it is. */
async function found(
  client: pg.ClientBase,
  asked: readonly Asked[],
  known: ReadonlyMap<string, LogRow>,
): Promise<Map<Asked, number>> {
  const there = new Map<Asked, number>();
  for (const each of asked) {
    for (const { log_id, log_key, seq, hash } of each.sent) {
      if (seq > (known.get(log_id)?.seq ?? 0)) continue;
      const sql = "SELECT 1 FROM events WHERE log_key = ? AND seq = ? AND body LIKE ?";
      const [row] = await all(client, sql, [log_key, seq, `%,"hash":"${hash}"}`]);
      if (row) there.set(each, seq);
    }
  }
  return there;
}
