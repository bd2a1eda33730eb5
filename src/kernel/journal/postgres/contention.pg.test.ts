// Other users of the same database: the locks that they hold, and the settings of its administrator.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Client } from "pg";
import { started, token } from "../../../../test/support/drafts.ts";
import { sharedPostgres } from "../../../../test/support/postgres/postgres.ts";
import { until } from "../../../../test/support/until.ts";
import * as s from "../contract/store.contract.ts";
import { openPostgres } from "./postgres.ts";
import { pushStore } from "../../../features/push/store/push.ts";
import { scheduleStore } from "../../../features/schedules/store/store.ts";
import { FEATURES } from "../../../features/journal-features.ts";

async function inDatabase(work: (place: { url: string; oracle: Client }) => Promise<void>) {
  const server = await sharedPostgres();
  const url = await server.database();
  const oracle = new Client(url);
  await oracle.connect();
  try {
    await work({ url, oracle });
  } finally {
    await oracle.end();
    await server.drop(url);
  }
}

test("[J1] an append that was ended by a deadlock is stored all the same", () =>
  inDatabase(async ({ url, oracle }) => {
    await using journal = await openPostgres({ features: FEATURES, url });
    const runId = await s.start(journal);
    const claim = await s.claimed(journal);
    await s.write(journal, claim, started());
    await oracle.query("SET search_path = quarterdeck; SET deadlock_timeout = '60s'; BEGIN");
    await oracle.query("SELECT 1 FROM logs WHERE log_id = $1 FOR UPDATE", [runId]);
    const appended = journal.append(claim, [token("m1", "kept")]);
    const waiting = "SELECT 1 FROM pg_locks WHERE NOT granted";
    await until(async () => (await oracle.query(waiting)).rowCount, "the append to wait");
    // A deadlock: the append holds the session and waits for the log. It detects the deadlock first.
    await oracle.query("UPDATE sessions SET seq = seq");
    await oracle.query("COMMIT");

    assert.deepEqual(await appended, { ok: true, seq: 4 });
    await s.checkSession(journal, "s1");
  }));

const SET = {
  default_transaction_isolation: "'serializable'",
  statement_timeout: "'300ms'",
  lock_timeout: "'100ms'",
};

test("[J1, J3] what whoever runs the database has set for others ends nothing of ours", () =>
  inDatabase(async ({ url, oracle }) => {
    const name = new URL(url).pathname.slice(1);
    for (const [setting, value] of Object.entries(SET)) {
      await oracle.query(`ALTER DATABASE ${name} SET ${setting} = ${value}`);
    }
    await using journal = await openPostgres({ features: FEATURES, url });
    await s.start(journal);
    const claim = await s.claimed(journal);
    await s.write(journal, claim, started());
    await oracle.query("BEGIN; UPDATE quarterdeck.sessions SET seq = seq");
    const done = Promise.all([
      journal.append(claim, [token("m1", "kept")]),
      journal.commands.updateTitle("s1", { title: "Kept" }),
      journal.renew("runner_a", s.LONG_MS),
    ]);
    const waiting = `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'
      AND clock_timestamp() - query_start > interval '400ms'`;
    await Promise.race([done, until(async () => (await oracle.query(waiting)).rowCount)]);
    await oracle.query("COMMIT");

    const [appended, titled] = await done;
    assert.ok(appended.ok);
    assert.equal(titled?.status, "accepted");
    await s.checkSession(journal, "s1");
  }));

test("[J7] two that start at once with lists of an earlier build make them anew once", () =>
  inDatabase(async ({ url, oracle }) => {
    {
      await using journal = await openPostgres({ features: FEATURES, url });
      await s.start(journal, { message: "said once" });
    }
    await oracle.query("SET search_path = quarterdeck");
    await oracle.query("UPDATE meta SET value = '0' WHERE key = 'projections'");
    await oracle.query("BEGIN; UPDATE sessions SET seq = seq");
    const opening = [
      openPostgres({ features: FEATURES, url }),
      openPostgres({ features: FEATURES, url }),
    ];
    const waiting = "SELECT 1 FROM pg_locks WHERE NOT granted";
    await until(async () => ((await oracle.query(waiting)).rowCount ?? 0) > 1, "both to wait");
    await oracle.query("COMMIT");
    for (const journal of await Promise.all(opening)) await journal[Symbol.asyncDispose]();

    const said = await oracle.query<{ text: string }>("SELECT text FROM messages");
    assert.deepEqual(said.rows, [{ text: "said once" }]);
  }));

test("[J7] what is said while lists are made anew is listed once", () =>
  inDatabase(async ({ url, oracle }) => {
    await using journal = await openPostgres({ features: FEATURES, url });
    await s.start(journal, { session_id: "s1", message: "before" });
    await oracle.query("SET search_path = quarterdeck");
    await oracle.query("BEGIN; LOCK TABLE house_entries IN SHARE MODE");
    const rebuilding = journal.upkeep.rebuild();
    const waiting = "SELECT 1 FROM pg_locks WHERE NOT granted";
    const waits = async () => (await oracle.query(waiting)).rowCount ?? 0;
    await until(waits, "the rebuild to be in the middle of it");
    const saying = s.start(journal, { session_id: "s2", message: "meanwhile" });
    await Promise.race([saying, until(async () => (await waits()) > 1)]);
    await oracle.query("COMMIT");
    await Promise.all([rebuilding, saying]);

    const said = await oracle.query<{ text: string }>("SELECT text FROM messages ORDER BY text");
    assert.deepEqual(said.rows, [{ text: "before" }, { text: "meanwhile" }]);
  }));

const TABLES = `SELECT format('ALTER TABLE %s ADD COLUMN of_the_next_release integer', oid::regclass) AS sql
  FROM pg_class WHERE relnamespace = 'quarterdeck'::regnamespace AND relkind = 'r'`;

test("[R18, D9] what runs goes on to its end while the tables are those of the next release", () =>
  inDatabase(async ({ url, oracle }) => {
    await using journal = await openPostgres({ features: FEATURES, url });
    const runId = await s.start(journal);
    const claim = await s.claimed(journal);
    await s.write(journal, claim, started());
    const look = async () => {
      await journal.registry.processes();
      await journal.reads.projects();
      await journal.reads.project("none");
      await pushStore(journal).pushSubscriptions();
      await scheduleStore(journal).cronJobs();
      await scheduleStore(journal).cronJob("none");
      await scheduleStore(journal).dueNext();
      await scheduleStore(journal).decideTick("none", s.DEFAULTS);
      await journal.commands.updateProject("none", { name: "New" });
      await journal.commands.respondApproval(
        { runId, approvalId: "none" },
        { choice: "deny", by: "console" },
      );
      await journal.reads.search({ q: "hello", limit: 1 });
      await journal.reads.sessionSummaries({ limit: 1, offset: 0 });
      await s.write(journal, claim, token("m1", "on"));
    };
    await look(); // every statement is prepared
    for (const { sql } of (await oracle.query<{ sql: string }>(TABLES)).rows)
      await oracle.query(sql);
    await look();
    await s.checkSession(journal, "s1");
  }));

const SHORT_MS = 400; // everything below is blocked for at least this long
const IN_LINE = "SELECT 1 FROM pg_locks WHERE NOT granted AND pid <> pg_backend_pid()";

async function heldUp(oracle: Client, work: () => Promise<unknown>): Promise<void> {
  const done = work();
  done.catch(() => undefined); // reported below
  await until(async () => (await oracle.query(IN_LINE)).rowCount, "it to wait");
  await oracle.query(`SELECT pg_sleep(${(2 * SHORT_MS) / 1_000})`);
  await oracle.query("COMMIT");
  await done;
}

test("[J7b] rebuilding and upgrading take as long as they take, also behind others who do", () =>
  inDatabase(async ({ url, oracle }) => {
    const options = { url, hangsMs: SHORT_MS, patienceMs: 0 };
    await oracle.query("BEGIN; SELECT pg_advisory_xact_lock(7365001)"); // another process migrates
    await heldUp(oracle, async () =>
      (await openPostgres({ ...options, features: FEATURES }))[Symbol.asyncDispose](),
    );
    await using journal = await openPostgres({ ...options, features: FEATURES });
    await s.start(journal);
    await oracle.query("BEGIN; LOCK TABLE quarterdeck.sessions IN SHARE MODE");
    await heldUp(oracle, () => journal.upkeep.rebuild());
    await s.checkSession(journal, "s1");
  }));
