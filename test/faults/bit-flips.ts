// Single bits changed in random cells of a journal's tables, as a disk would. Nothing that was changed may be in an answer,
// and nothing that could be may be missed by `doctor`.
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync, type SQLOutputValue } from "node:sqlite";
import * as s from "../../src/kernel/journal/contract/store.contract.ts";
import { cronJob } from "../../src/features/schedules/store/cron.contract.ts";
import type { Journal } from "../../src/kernel/journal/journal.ts";
import { loadRun } from "../../src/kernel/journal/read/load-run.ts";
import { journalPath, openSqlite } from "../../src/kernel/journal/sqlite/sqlite.ts";
import { toSnapshot } from "../../src/kernel/state/run/state.ts";
import * as d from "../support/drafts.ts";
import { seeded, type Random } from "../support/random.ts";
import { fillFromRecordings } from "../support/recordings/recorded-home.ts";
import { pushStore } from "../../src/features/push/store/push.ts";
import { scheduleStore } from "../../src/features/schedules/store/store.ts";
import { FEATURES } from "../../src/features/journal-features.ts";

export type Flip = {
  readonly table: string;
  readonly column: string;
  readonly was: string;
  readonly is: string;
  /** What of the new value was not there before. */
  readonly changed: string;
};
export type Judged = {
  readonly flip: Flip;
  readonly verdict: "found" | "harmless" | "served" | "missed";
};

/** The index of words is read by nobody but searches: what changes no answer of one does no harm. */
const INDEX = /^search_words/;

export type Flipping = Disposable & { readonly flip: () => Promise<Judged> };

/** `recorded`: with everything that was ever recorded, not only with what fills each table. */
export async function bitFlips(seed: number, { recorded = false } = {}): Promise<Flipping> {
  const base = mkdtempSync(join(tmpdir(), "qd-flips-"));
  const [intact, home] = [join(base, "intact.db"), join(base, "home")];
  if (recorded) await fillFromRecordings(home);
  await fill(home);
  const before = await inHome(home, allAnswers);
  await inHome(home, (journal) => journal.upkeep.backup(intact));
  {
    using db = new DatabaseSync(intact); // a disk asks no trigger
    const triggers = "SELECT name FROM sqlite_schema WHERE type = 'trigger'";
    for (const { name } of db.prepare(triggers).all()) db.exec(`DROP TRIGGER ${String(name)}`);
  }
  const random = seeded(seed);
  return {
    async flip() {
      rmSync(home, { recursive: true, force: true });
      mkdirSync(home);
      copyFileSync(intact, journalPath(home));
      const flip = flipOne(journalPath(home), random);
      return { flip, verdict: await judged(home, flip, before) };
    },
    [Symbol.dispose]: () => rmSync(base, { recursive: true, force: true }),
  };
}

async function judged(home: string, flip: Flip, before: Answers): Promise<Judged["verdict"]> {
  let journal: Journal;
  try {
    journal = await openSqlite({ features: FEATURES, home });
  } catch {
    return "found"; // it does not open, and says why
  }
  await using _open = journal;
  const answers = await allAnswers(journal);
  const now = answers.join("\n");
  const isServed = now.includes(flip.changed) && !before.join("\n").includes(flip.changed);
  if (isServed && !INDEX.test(flip.table)) return "served";
  const problems = await journal.upkeep.verify().catch((error: Error) => [error]);
  const lists = await journal.upkeep.listProblems().catch((error: Error) => [error]);
  if (problems.length + lists.length > 0) return "found";
  if (!INDEX.test(flip.table)) return "missed";
  return now === before.join("\n") ? "harmless" : "missed";
}

async function inHome<Result>(home: string, work: (journal: Journal) => Promise<Result>) {
  await using journal = await openSqlite({ features: FEATURES, home });
  return await work(journal);
}

/** A row and more in most tables. */
async function fill(home: string): Promise<void> {
  await using journal = await openSqlite({ features: FEATURES, home });
  await journal.commands.createProject({
    project_id: "proj_1",
    name: "Harbour",
    instructions: "Mind the tide.",
  });
  for (let at = 0; at < 3; at += 1) {
    const session_id = `flip${at}`;
    await s.start(journal, {
      session_id,
      message: `Weigh anchor number ${at}`,
      message_id: `k${at}`,
    });
    const claim = await s.claimed(journal);
    await s.write(
      journal,
      claim,
      d.started(),
      d.turnStarted(1),
      d.used(1, 40 + at),
      d.changed("c1", "a.txt"),
    );
    await s.write(
      journal,
      claim,
      d.said("m1", `Aye, the anchor of ${at} is up.`),
      d.approvalAsked(`c${at}`),
    );
    if (at === 0) await s.write(journal, claim, d.done(7));
    const state = await loadRun(journal, claim.runId);
    if (state) await journal.saveSnapshot(toSnapshot(state));
    await journal.commands.updateTitle(session_id, { title: `Voyage ${at} to the north` });
    await journal.commands.updateGoal(session_id, { action: "set", text: `Reach port ${at}` });
    await journal.saveFold(session_id, 1, { seq: 3, text: `{"kept":${at}}` });
  }
  await scheduleStore(journal).createCronJob(cronJob({ prompt: "Look at the barometer." }), "ann");
  await scheduleStore(journal).runCronJob("j1", { by: "ann", command_id: "once" }, s.DEFAULTS);
  await pushStore(journal).addPush({
    endpoint: "https://push/1",
    p256dh: "key",
    auth: "secret",
    label: "Firefox",
  });
  await pushStore(journal).claimPush("told once");
  const text = { session_id: "device1", message_id: "k", text: "ahoy", source: "terminal" };
  await journal.commands.takeChannelMessage(text, s.DEFAULTS);
  await journal.registry.addLoginCode("f".repeat(64), 600);
  await journal.registry.keepShared("colour", "red ochre");
  const process_id = "serve_1";
  const about = {
    kind: "serve",
    pid: 1,
    started: "s",
    host: "h",
    url: "http://127.0.0.1:1",
  } as const;
  await journal.registry.register({ process_id, ...about, volumes: [] });
}

type Answers = readonly string[];
const WORDS = ["anchor", "anch", "voyage", "a", "th", "port", "tide", "hello", "file"];

/** Everything that a window may ask for, as text. */
async function allAnswers(journal: Journal): Promise<Answers> {
  const emitted: string[] = [];
  const ask = async (name: string, question: () => Promise<unknown>) => {
    const answer = await question().catch(() => "refused");
    emitted.push(
      `${name} ${JSON.stringify(answer, (_key, value: unknown) => (value instanceof Map ? [...value] : value))}`,
    );
    return answer;
  };
  const { sessions } = await journal.reads
    .sessionSummaries({ limit: 500, offset: 0 })
    .catch(() => ({ sessions: [] }));
  await ask("sessions", () => journal.reads.sessions({ limit: 500, offset: 0 }));
  await ask("summaries", () => journal.reads.sessionSummaries({ limit: 500, offset: 0 }));
  for (const { session_id } of sessions) {
    await ask("session", () => journal.reads.session(session_id));
    await ask("events", () => journal.readSession(session_id, 0, 5_000));
    await ask("changes", () => journal.reads.changes({ sessionId: session_id }));
    await ask("branched", () => journal.reads.branchedFrom(session_id));
    await ask("rules", () => journal.reads.rules(session_id));
    await ask("fold", () => journal.reads.savedFold(session_id, 1));
    await ask("unreplied", () => journal.reads.unreplied(session_id));
    const runs = await journal.reads.runsOf(session_id).catch(() => []);
    await ask("runs", () => journal.reads.runsOf(session_id));
    for (const { run_id } of runs) {
      await ask("run", () => journal.readRun(run_id, 0, 5_000));
      await ask("frames", async () => String((await journal.readFrames(run_id, 0, 5_000))?.bytes));
      await ask("spent", () => journal.reads.spent(run_id));
      await ask("snapshot", () => journal.reads.snapshot(run_id));
    }
  }
  await ask("pending", () => journal.reads.pending({}));
  await ask("inbox", () => journal.reads.inbox());
  await ask("projects", () => journal.reads.projects());
  await ask("schedules", () => scheduleStore(journal).cronJobs());
  await ask("history", () => scheduleStore(journal).cronHistory({ jobId: "j1", limit: 50 }));
  await ask("house", () => journal.systemLog.events({ limit: 200 }));
  await ask("push", () => pushStore(journal).pushSubscriptions());
  await ask("usage", () => journal.reads.usageSince(0));
  await ask("shared", () => journal.registry.shared("colour"));
  for (const q of WORDS) await ask(`search ${q}`, () => journal.reads.search({ q, limit: 50 }));
  return emitted;
}

function flipOne(path: string, random: Random): Flip {
  using db = new DatabaseSync(path);
  db.exec("PRAGMA foreign_keys = OFF");
  const named = `SELECT name FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'shadow')
    AND name NOT LIKE 'sqlite_%' ORDER BY name`;
  const tables = db
    .prepare(named)
    .all()
    .map(({ name }) => name as string);
  for (;;) {
    const table = pick(tables, random);
    const rows = db.prepare(`SELECT * FROM "${table}"`).all();
    const row = rows.length > 0 ? pick(rows, random) : undefined;
    const column = row && pick(Object.keys(row), random);
    if (!row || column === undefined) continue;
    const value = row[column] as SQLOutputValue;
    const next = flipped(value, random);
    if (next === undefined) continue;
    const { text, changed } = next;
    const where = Object.keys(row)
      .map((name) => `"${name}" IS ?`)
      .join(" AND ");
    const cast = typeof value === "string" ? "CAST(? AS TEXT)" : "?";
    try {
      const sql = `UPDATE "${table}" SET "${column}" = ${cast} WHERE ${where}`;
      const done = db.prepare(sql).run(next.value, ...Object.values(row));
      if (done.changes === 1) return { table, column, was: String(value), is: text, changed };
    } catch {
      // A key that is taken, a state that there is not: another cell.
    }
  }
}

type Flipped = {
  readonly value: Uint8Array | number;
  readonly text: string;
  readonly changed: string;
};
const AROUND = 12; // bytes on each side that say which place of a text it is

function flipped(value: SQLOutputValue, random: Random): Flipped | undefined {
  if (typeof value === "number" && Number.isInteger(value)) {
    const next = Number(BigInt.asIntN(53, BigInt(value) ^ (1n << BigInt(random.below(32)))));
    return { value: next, text: String(next), changed: String(next) };
  }
  const bytes = Buffer.alloc(
    typeof value === "number" ? 8 : Buffer.byteLength((value ?? "") as string),
  );
  if (typeof value === "number") bytes.writeDoubleBE(value);
  else if (typeof value === "string") bytes.write(value);
  else if (value instanceof Uint8Array) Buffer.from(value).copy(bytes);
  if (bytes.length === 0) return undefined;
  const at = random.below(bytes.length);
  bytes[at] = (bytes[at] ?? 0) ^ (1 << random.below(8));
  if (typeof value === "number") {
    const next = bytes.readDoubleBE();
    return Number.isFinite(next)
      ? { value: next, text: String(next), changed: String(next) }
      : undefined;
  }
  const changed = bytes.subarray(Math.max(0, at - AROUND), at + AROUND).toString();
  return { value: bytes, text: bytes.toString(), changed: JSON.stringify(changed).slice(1, -1) };
}

function pick<Each>(all: readonly Each[], random: Random): Each {
  return all[random.below(all.length)] as Each;
}
