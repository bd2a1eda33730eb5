// Stores a group of appends in Postgres. A process knows the heads of its runs, so it seals their next events itself and
// sends them in one round trip; the database checks that the heads are still the same. If they are not (a command came
// in between, another runner has the run), or the answer was lost, the heads are locked and read, and what is missing is
// stored. An event that is already stored is recognised by its hash and never stored twice.
import { concernsSession, refusalOf, type LogRow, type AppendContext } from "../append.ts";
import { mergeDeltas, type Entry, type StoreGroup } from "../group-commit.ts";
import type { Wake } from "../journal.ts";
import { wakeOf } from "../wakes.ts";
import { MOVED } from "./append-events.ts";
import { hasCollided, isLost, untilThrough, type Connection } from "./connection.ts";
import { found, lockedHeads } from "./heads.ts";
import { planned, type Asked, type Plan, type Settled } from "./plan.ts";
import { storeEvents } from "./store-events.ts";

export type Groups = {
  readonly connection: Connection;
  readonly sealing: AppendContext;
  readonly published: (wakes: Wake[]) => void;
};

export function postgresGroups(groups: Groups): StoreGroup {
  const known = new KnownHeads();
  return { store: (group) => store(groups, known, group) };
}

async function store(groups: Groups, known: KnownHeads, group: readonly Entry[]): Promise<void> {
  const asked = group.map((entry) => ({ entry, drafts: mergeDeltas(entry.drafts), sent: [] }));
  try {
    const plan = (await atOnce(groups, known, asked)) ?? (await lookingFirst(groups, asked));
    known.remember(plan.heads.values());
    groups.published(plan.stored.map(({ appended }) => wakeOf(appended)));
    for (const settled of plan.settled) settle(settled);
  } catch (error) {
    for (const { entry } of asked) entry.reject(error);
  }
}

function settle({ asked: { entry }, result }: Settled): void {
  if ("error" in result) entry.reject(result.error);
  else entry.resolve(result);
}

/** Undefined if the heads must be read first. */
async function atOnce(
  { connection, sealing }: Groups,
  known: KnownHeads,
  asked: readonly Asked[],
): Promise<Plan | undefined> {
  const heads = known.of(asked);
  const plan = heads && planned(asked, heads, sealing);
  if (!plan || plan.settled.some(({ result }) => !("ok" in result && result.ok))) return undefined;
  try {
    await connection.withClient((client) => storeEvents(client, plan.stored));
    return plan;
  } catch (error) {
    known.forget(plan.heads.keys());
    const lost = isLost(error);
    const moved = (error as { code?: string }).code === MOVED || hasCollided(error);
    if (!lost && !moved) throw error;
    if (lost) noteSent(plan);
    return undefined;
  }
}

/** Retries without a limit: a model's output is never discarded because the database is away. */
function lookingFirst({ connection, sealing }: Groups, asked: readonly Asked[]): Promise<Plan> {
  const attempt = () =>
    connection.withClient(async (client) => {
      await client.query("BEGIN");
      try {
        const heads = await lockedHeads(client, asked);
        const plan = planned(asked, heads, sealing, await found(client, asked, heads));
        noteSent(plan);
        if (plan.stored.length > 0) await storeEvents(client, plan.stored);
        await client.query("COMMIT");
        return plan;
      } catch (error) {
        if (!isLost(error)) await client.query("ROLLBACK").catch(() => undefined);
        throw error;
      }
    });
  return connection.persist(() => untilThrough(attempt), Number.POSITIVE_INFINITY);
}

function noteSent({ stored }: Plan): void {
  for (const { asked, appended } of stored) asked.sent.push(appended.head);
}

const MAX_HEADS = 10_000;

/** The heads of logs as this process last saw them. The database checks every append that relies on them. */
class KnownHeads {
  readonly #heads = new Map<string, LogRow>();
  readonly #sessions = new Map<number, number>(); // the session's seq, which every run of it moves

  /** Undefined if a head is unknown, or does not match its claim. */
  of(asked: readonly Asked[]): Map<string, LogRow> | undefined {
    const heads = new Map<string, LogRow>();
    for (const { entry } of asked) {
      if (concernsSession(entry.drafts)) return undefined;
      const head = this.#heads.get(entry.claim.runId);
      if (!head || refusalOf(head, entry)) return undefined;
      const session_seq = this.#sessions.get(head.session_key) ?? head.session_seq;
      heads.set(head.log_id, { ...head, session_seq });
    }
    return heads;
  }

  remember(heads: Iterable<LogRow>): void {
    if (this.#heads.size > MAX_HEADS) this.#heads.clear();
    if (this.#heads.size === 0) this.#sessions.clear();
    for (const head of heads) {
      this.#sessions.set(head.session_key, head.session_seq);
      if (head.ended_at === null) this.#heads.set(head.log_id, head);
      else this.#heads.delete(head.log_id);
    }
  }

  forget(logIds: Iterable<string>): void {
    for (const logId of logIds) this.#heads.delete(logId);
  }
}
