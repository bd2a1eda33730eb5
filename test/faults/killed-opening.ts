// What happens to a home while it is opened for the first time, restored or brought to a newer release, each killed
// at a chosen write. Whatever is there afterwards must open and hold everything that was acknowledged.
import { cpSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import * as s from "../../src/kernel/journal/contract/store.contract.ts";
import { restoreBackup } from "../../src/kernel/journal/sqlite/restore.ts";
import { journalPath, openSqlite } from "../../src/kernel/journal/sqlite/sqlite.ts";
import * as d from "../support/drafts.ts";
import { asRelease, RELEASES } from "../support/journal/older-release.ts";
import { quarterdeck } from "../support/program.ts";
import {
  killAt,
  recordCalls,
  WRITING,
  type Command,
  type TracedCall,
} from "../support/traced-calls.ts";
import { FEATURES } from "../../src/features/journal-features.ts";

const SERVING = /Serving http/;

export type Opening = {
  readonly name: string;
  /** Fills a home. */
  readonly prepare: (home: string) => void;
  readonly command: (home: string) => Command;
  /** Which sessions there may be afterwards. */
  readonly sessions: readonly string[];
};
export type Killed = {
  readonly call: TracedCall;
  readonly killed: boolean;
  readonly problem?: string;
};

/** Homes to start from, made once. */
export type Templates = Disposable & { readonly openings: readonly Opening[] };

/** `shortly`: started by a command that opens the home and ends, not by a server. */
export async function openingTemplates({ shortly = false } = {}): Promise<Templates> {
  const base = mkdtempSync(join(tmpdir(), "qd-kills-"));
  const [full, restored, older] = ["full", "restored", "older"].map((name) => join(base, name)) as [
    string,
    string,
    string,
  ];
  const backup = join(base, "backup.db");
  await fill(full, backup);
  for (const home of [restored, older]) mkdirSync(home);
  await restoreBackup(backup, journalPath(restored));
  asRelease(RELEASES.at(-1) as (typeof RELEASES)[number], backup, journalPath(older));
  const start = (home: string): Command =>
    shortly
      ? { args: ["token", "--home", home] }
      : { args: ["serve", "--port", "0", "--home", home, "--workspace", base], started: SERVING };
  const from = (template: string) => (home: string) => cpSync(template, home, { recursive: true });
  const restore = (home: string): Command => ({ args: ["restore", backup, "--home", home] });
  return {
    openings: [
      { name: "first start", prepare: (home) => mkdirSync(home), command: start, sessions: [""] },
      { name: "restore", prepare: from(full), command: restore, sessions: ["s1", "s1 s2"] },
      { name: "start after a restore", prepare: from(restored), command: start, sessions: ["s1"] },
      { name: "migration", prepare: from(older), command: start, sessions: ["s1"] },
    ],
    [Symbol.dispose]: () => rmSync(base, { recursive: true, force: true }),
  };
}

/** A journal with two sessions, the second of which is not in the backup. */
async function fill(home: string, backup: string): Promise<void> {
  await using journal = await openSqlite({ features: FEATURES, home });
  for (const session_id of ["s1", "s2"]) {
    await s.start(journal, { session_id });
    const claim = await s.claimed(journal);
    await s.write(journal, claim, d.started(), d.used(1, 7), d.said("m1", "aye aye"), d.done(3));
    if (session_id === "s1") await journal.upkeep.backup(backup);
  }
}

export async function recordOpening(opening: Opening): Promise<TracedCall[]> {
  using place = newHome(opening);
  const { home, trace } = place;
  return await recordCalls(opening.command(home), { home, trace, names: WRITING });
}

export async function killOpening(opening: Opening, call: TracedCall): Promise<Killed> {
  using place = newHome(opening);
  const { killed } = await killAt(opening.command(place.home), call);
  const problem = await problemOf(place.home, opening.sessions);
  return { call, killed, ...(problem !== undefined && { problem }) };
}

/** What a person would see who starts it again. */
async function problemOf(home: string, sessions: readonly string[]): Promise<string | undefined> {
  const started = await quarterdeck(["token", "--home", home]);
  if (started.code !== 0) return `the next start ends with ${started.code}: ${started.stderr}`;
  if (started.stderr !== "") return `the next start says: ${started.stderr}`;
  if (started.stdout.trim().length < 20) return "there is no token";
  await using journal = await openSqlite({ features: FEATURES, home });
  const found = (await journal.reads.sessions({ limit: 9, offset: 0 })).map(
    ({ session_id }) => session_id,
  );
  const names = found.toSorted().join(" ");
  if (!sessions.includes(names)) return `it has the sessions “${names}”`;
  const damaged = await journal.upkeep.verify();
  return damaged.length > 0 ? `damaged: ${JSON.stringify(damaged)}` : undefined;
}

/** At a path of the same length every time: what is written depends on it. */
function newHome(opening: Opening): Disposable & { home: string; trace: string } {
  const base = mkdtempSync(join(tmpdir(), "qd-kill-"));
  const home = join(base, "home");
  opening.prepare(`${home}.new`);
  renameSync(`${home}.new`, home);
  return {
    home,
    trace: join(dirname(home), "trace"),
    [Symbol.dispose]: () => rmSync(base, { recursive: true, force: true }),
  };
}
