// Damaged data is never served (D7), but one failed read is no proof: SQLite reports a failed disk read as damage, and a
// healthy run that is quarantined stands still. So damage is confirmed through connections that have nothing cached, and
// a quarantine ends when the log verifies again.
import { ApiError } from "../events/errors.ts";
import { Corruption } from "./sqlite/corruption.ts";
import { appendToSystemLog } from "./system-log/system-log.ts";
import { rowsOf, type RowOf } from "./rows.ts";
import type { Sql } from "./sql.ts";
import { LOGS } from "./tables/runs.ts";
import { pick } from "./tables/table.ts";
import type { Transact, Tx } from "./transaction.ts";
import { problemOf, sessionProblem } from "./read/verify-log.ts";

export type Problem = { readonly logId: string; readonly problem: string };
/** Reads through a new connection, which has nothing cached. */
export type Afresh = <Result>(work: (sql: Sql) => Promise<Result>) => Promise<Result>;

export type Guard = {
  readonly afresh: Afresh;
  readonly transact: Transact;
  /** Whether the error means that stored data is damaged. */
  readonly isDamage: (error: unknown) => boolean;
};

const LOOKS = 2;

/**
 * Reads, and reads again through other connections what seems damaged. Only if all of them see the damage are the
 * logs that `damaged` names quarantined.
 */
export async function guarded<Result>(
  guard: Guard,
  { read, damaged }: { read: (afresh?: Sql) => Promise<Result>; damaged: Damaged },
): Promise<Result> {
  const { afresh, transact } = guard;
  const isDamage = (error: unknown) => error instanceof Corruption || guard.isDamage(error);
  let seen: unknown;
  for (let look = 0; look <= LOOKS; look += 1) {
    try {
      return look === 0 ? await read() : await afresh((sql) => read(sql));
    } catch (error) {
      if (!isDamage(error)) throw error;
      seen = error;
    }
  }
  const logs = await afresh((sql) => damaged(sql, (seen as Error).message));
  await transact(null, async (tx) => {
    for (const { logId, problem } of logs) await quarantineLog(tx, logId, problem);
  });
  throw quarantined(logs[0]?.logId ?? "", logs[0]?.problem ?? (seen as Error).message);
}

/** Which logs are damaged, given the error. */
export type Damaged = (sql: Sql, problem: string) => Promise<Problem[]>;

export async function quarantineLog(tx: Tx, logId: string, problem: string): Promise<void> {
  const sql = "UPDATE logs SET quarantined = ? WHERE log_id = ? AND quarantined IS NULL";
  await tx.run(sql, problem, logId);
}

export function quarantined(logId: string, problem: string): ApiError {
  const message = `${logId} is quarantined: ${problem}. Nothing was deleted; run "quarterdeck doctor".`;
  return new ApiError("run_quarantined", message, { log: logId, problem });
}

const HEADS = `SELECT log_key, log_id, l.kind, l.seq, hash, quarantined, session_key FROM logs l`;

const HEAD = rowsOf(
  "logs",
  pick(LOGS, "log_key", "log_id", "kind", "seq", "hash", "quarantined", "session_key"),
);
type Head = RowOf<typeof HEAD>;

/** The logs that fail to verify twice. */
export async function problemsIn(
  sql: Sql,
  { afresh, isDamage }: Pick<Guard, "afresh" | "isDamage">,
): Promise<Problem[]> {
  const orDamage = (looking: Promise<string | undefined>) =>
    looking.catch((error: unknown) => {
      if (isDamage(error)) return (error as Error).message;
      throw error;
    });
  const problemsOf = async (source: Sql, logs: readonly Head[]) => {
    const problems: Problem[] = [];
    const damaged = new Set<number>();
    for (const log of logs) {
      const problem = await orDamage(problemOf(source, log));
      if (problem === undefined) continue;
      problems.push({ logId: log.log_id, problem });
      damaged.add(log.session_key);
    }
    // If every log is sound, the order of the session's events is damaged: its own log stands for it.
    for (const { kind, session_key, log_id: logId } of logs) {
      if (kind !== "session" || damaged.has(session_key)) continue;
      const problem = await orDamage(sessionProblem(source, session_key));
      if (problem !== undefined) problems.push({ logId, problem });
    }
    return problems;
  };
  const suspects = await problemsOf(sql, await HEAD.all(sql, `${HEADS} ORDER BY log_key`));
  if (suspects.length === 0) return [];
  return afresh(async (other) => {
    const names = JSON.stringify(suspects.map(({ logId }) => logId));
    const again = `${HEADS} WHERE log_id IN (SELECT value FROM json_each(?)) ORDER BY log_key`;
    return problemsOf(other, await HEAD.all(other, again, names));
  });
}

/** The quarantined logs that verify again, with their session. They are served again, except in a dry run. */
export async function liftQuarantine(
  { afresh, transact, isDamage }: Guard,
  { by, ask }: { by: string; ask: boolean },
): Promise<readonly Problem[]> {
  const look = () => afresh((sql) => soundAgain(sql, isDamage));
  let sound = await look();
  if (sound.length > 0) sound = await look();
  if (ask || sound.length === 0) return sound;
  await transact(null, async (tx) => {
    for (const { logId, problem } of sound) {
      const lifted =
        "UPDATE logs SET quarantined = NULL WHERE log_id = ? AND quarantined IS NOT NULL";
      if ((await tx.run(lifted, logId)) === 0) continue; // another process did it
      await appendToSystemLog(tx, [
        { type: "quarantine.lifted", payload: { by, log_id: logId, problem } },
      ]);
    }
  });
  return sound;
}

async function soundAgain(sql: Sql, isDamage: Guard["isDamage"]): Promise<Problem[]> {
  const sound: Problem[] = [];
  const quarantines = `${HEADS} WHERE quarantined IS NOT NULL ORDER BY log_key`;
  for (const log of await HEAD.all(sql, quarantines)) {
    try {
      if ((await problemOf(sql, log)) ?? (await sessionProblem(sql, log.session_key))) continue;
      sound.push({ logId: log.log_id, problem: log.quarantined ?? "" });
    } catch (error) {
      if (!isDamage(error)) throw error;
    }
  }
  return sound;
}
