// The embedded journal: one SQLite file, any number of processes. This file only puts the parts
// together; what each promises is in journal.ts and proven by journal.contract.ts.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { draftProblem } from "../protocol/events.ts";
import { blobStore } from "./blobs.ts";
import { openBus } from "./bus.ts";
import { claims } from "./claims.ts";
import { commands } from "./commands.ts";
import { Database, type FatalJournalError } from "./database.ts";
import type { Redactor } from "./redact.ts";
import { groupCommit } from "./group-commit.ts";
import type { Journal, Wake } from "./journal.ts";
import { bringUpToDate, maintenance } from "./maintenance.ts";
import { reads } from "./reads.ts";
import { push } from "./push.ts";
import { registry } from "./registry.ts";
import { snapshots } from "./snapshots.ts";
import { transactions } from "./transaction.ts";

/** How late a lost wake-up may be noticed. */
const POLL_MS = 250;

export type SqliteOptions = {
  home: string;
  name?: string; // of this process on the bus
  onFatal?: (error: FatalJournalError) => void;
  /** Applied to every string of every event before it is numbered, hashed, stored or listed. */
  redactor?: Redactor | undefined;
};

export function journalPath(home: string): string {
  return join(home, "journal.db");
}

export function openSqlite({ home, name, onFatal = () => {}, redactor }: SqliteOptions): Journal {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const db = new Database({ path: journalPath(home), onFatal, redact: redactor?.text });
  bringUpToDate(db);
  const listeners = new Set<(wake: Wake | "all") => void>();
  const tell = (wake: Wake | "all") => {
    for (const listener of listeners) listener(wake);
  };
  const bus = openBus(home, name ?? `${process.pid}`, tell);
  const published = (wakes: Wake[]) => {
    bus.publish(wakes);
    for (const wake of wakes) tell(wake);
  };
  const poll = pollForChanges(db, () => tell("all"));
  const transact = transactions(db, published);
  const commits = groupCommit(db, published);
  const blobs = blobStore(join(home, "blobs"));

  return {
    epoch: db.epoch,
    redactor,
    blobs,
    ...commands(transact, blobs),
    ...reads(db),
    ...snapshots(db),
    ...claims(db),
    ...registry(db),
    ...push(db),

    async append(claim, drafts, options) {
      for (const [index, draft] of drafts.entries()) {
        const last = index === drafts.length - 1;
        const problem =
          draft.type === "done" && !last ? "nothing may follow the end" : draftProblem(draft);
        if (problem) throw new TypeError(problem); // a bug here, before anything is queued
      }
      return commits.append(claim, drafts, options);
    },
    watch(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    ...maintenance(db),
    async [Symbol.asyncDispose]() {
      clearInterval(poll);
      listeners.clear();
      bus[Symbol.dispose]();
      db[Symbol.dispose]();
    },
  };
}

function pollForChanges(db: Database, changed: () => void): NodeJS.Timeout {
  let version = db.dataVersion();
  return setInterval(() => {
    const next = db.dataVersion();
    if (next === version) return;
    version = next;
    changed();
  }, POLL_MS).unref();
}
