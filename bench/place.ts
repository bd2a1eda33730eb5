// A fresh home with a claimed run, and the raw database that the floors write to.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { MIGRATIONS } from "../src/kernel/journal/tables/migrations.ts";
import { openSqlite } from "../src/kernel/journal/sqlite/sqlite.ts";
import type { Draft } from "../src/kernel/events/events.ts";
import { FEATURES } from "../src/features/journal-features.ts";

export function tempDir(): { path: string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), "qd-bench-"));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

export async function claimedRun(home: string) {
  const journal = await openSqlite({ features: FEATURES, home });
  const started = await journal.commands.startRun(
    { message: "bench" },
    { model: "demo/demo", workspace: "/" },
  );
  const claim = await journal.claimNext({
    runnerId: "bench",
    leaseMs: 3_600_000,
    lost: [],
    childrenOnly: false,
    volumes: [],
  });
  if (!claim) throw new Error("nothing to claim");
  return { journal, claim, runId: started.run_id as string };
}

const WORDS = "the run goes on from where it was and nothing is lost or shown twice".split(" ");

/** A token delta as models send them. It alternates between two message ids, so that nothing merges. */
export function delta(index: number): Draft {
  const word = WORDS[index % WORDS.length] as string;
  return {
    type: "token.delta",
    payload: { message_id: index % 2 ? "m1.1" : "m1.2", delta: `${word} `, content_type: "text" },
  };
}

/** node:sqlite with the same schema, the same sync and nothing else. */
export function rawDatabase(path: string): DatabaseSync {
  const db = new DatabaseSync(path);
  db.exec("PRAGMA journal_mode = WAL");
  db.exec("PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0; PRAGMA cache_size = -8192");
  db.exec(MIGRATIONS[0] ?? "");
  db.exec("INSERT INTO sessions (session_id, created_at, updated_at) VALUES ('s', 0, 0)");
  db.exec("INSERT INTO logs (log_id, kind, session_key) VALUES ('r', 'run', 1)");
  return db;
}

const RUN = `run_${"0".repeat(32)}`;
const SESSION = `sess_${"0".repeat(32)}`;
const EPOCH = "e0ae23450c5d6";
const HASH = "0".repeat(64);
const CHECKPOINT_EVERY = 1_000;

export type RawWriter = (drafts: readonly Draft[]) => number;

/** As many bytes as one of our events, without hashing and validation. */
export function bareEvent(seq: number, { type, payload }: Draft): string {
  const ids = {
    event_id: `${RUN}:${seq}`,
    seq,
    run_id: RUN,
    session_id: SESSION,
    session_seq: seq,
    epoch: EPOCH,
  };
  const created_at = Date.now() / 1000;
  const rest = { type, created_at, terminal: false, payload, prev_hash: HASH, hash: HASH };
  return JSON.stringify({ ...ids, ...rest });
}

/** What any durable writer of this schema has to do: serialise, insert, and move the heads. */
export function rawWriter(db: DatabaseSync): RawWriter {
  const insert = db.prepare(
    "INSERT INTO events (log_key, seq, session_key, session_seq, checksum, chars, body) VALUES (1, ?, 1, ?, 0, 0, ?)",
  );
  const log = db.prepare("UPDATE logs SET seq = ?, hash = ?, last_at = ? WHERE log_key = 1");
  const session = db.prepare("UPDATE sessions SET seq = ?, updated_at = ? WHERE session_key = 1");
  const head = db.prepare("SELECT seq, hash, fence FROM logs WHERE log_id = 'r'");
  let seq = 0;
  let commits = 0;
  return (deltas) => {
    db.exec("BEGIN IMMEDIATE");
    head.get();
    for (const draft of deltas) {
      seq += 1;
      insert.run(seq, seq, bareEvent(seq, draft));
    }
    const now = Date.now() / 1000;
    log.run(seq, "x".repeat(64), now);
    session.run(seq, now);
    db.exec("COMMIT");
    commits += 1;
    if (commits % CHECKPOINT_EVERY === 0) db.exec("PRAGMA wal_checkpoint(PASSIVE)"); // as the journal does
    return seq;
  };
}
