// Moving a journal: whatever was in it is in the target, under the same names, and goes on there; whatever goes wrong
// on the way is noticed, and leaves a target that nobody can open.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { test } from "node:test";
import * as d from "../../../../test/support/drafts.ts";
import {
  KINDS,
  type Kept,
  CATALOGUE,
  migrate,
  newDatabase,
  newHome,
  raw,
} from "../../../../test/support/journal/journal-places.ts";
import { fillFromRecordings } from "../../../../test/support/recordings/recorded-home.ts";
import { sqliteStore } from "../../../../test/support/journal/sqlite-store.ts";
import type { Draft } from "../../events/events.ts";
import * as s from "../contract/store.contract.ts";
import { writeMark } from "../sqlite/high-water-mark.ts";
import type { Journal } from "../journal.ts";
import { thisProcess } from "../liveness.ts";
import { tablesIn } from "./tables.ts";
import { postgresTarget } from "./postgres-end.ts";
import { sqliteTarget } from "./sqlite-end.ts";
import { markPath } from "../sqlite/history.ts";
import { journalPath } from "../sqlite/sqlite.ts";
import { pushStore } from "../../../features/push/store/push.ts";

/** Every event of every log, as bytes. */
async function everything(journal: Journal): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  for (const { session_id } of await journal.reads.sessions({ limit: 200, offset: 0 })) {
    const bodies: string[] = [];
    for (let after = 0; ; after = bodies.length) {
      const page = await journal.readSession(session_id, after, 500);
      if (!page || page.rows.length === 0) break;
      bodies.push(...page.rows.map(([, , body]) => body));
    }
    found.set(session_id, bodies);
  }
  return found;
}

type Lists = Awaited<ReturnType<typeof s.lists>>;

async function seen(kept: Kept) {
  await using journal = await kept.open();
  assert.deepEqual(await journal.upkeep.verify(), []);
  const { epoch } = journal;
  const lists = JSON.parse(JSON.stringify(await s.lists(journal))) as Lists; // rows are of two kinds
  return { epoch, events: await everything(journal), lists };
}

test("[K3a, E6, D9] all that was ever recorded moves to Postgres and back: the same bytes, epoch and lists", async () => {
  await using home = newHome();
  const events = await fillFromRecordings(home.home);
  const before = await seen(home);
  await using database = await newDatabase();
  await using back = newHome();
  for (const [from, to] of [
    [home, database],
    [database, back],
  ] as const) {
    const moved = await migrate({ from: from.place, to: to.place });
    assert.equal(moved.events, events);
    assert.deepEqual([moved.epoch, moved.problems], [before.epoch, []]);
    assert.deepEqual(await seen(to), before);
  }
  assert.deepEqual(await seen(home), before, "the source is as it was");
});

const sha256 = (content: string) => createHash("sha256").update(content).digest("hex");

async function store(journal: Journal, content: string): Promise<string> {
  const writer = journal.blobs.create();
  await writer.write(Buffer.from(content));
  return (await writer.finish()).sha256;
}

/** A person's journal: things done, going on, waiting, and kept beside the events. */
async function lived(journal: Journal) {
  const files = ["attached", "large ".repeat(200_000), "in a manifest"];
  for (const file of files) await store(journal, file);
  const listed = [
    ["a.txt", sha256(files[2] as string), 13, 420],
    ["b.txt", null, 0, 420],
  ];
  const manifest = await store(journal, JSON.stringify({ complete: true, files: listed }));
  const checkpoint = d.checkpoint("c1") as Draft & { payload: object };
  const output = { head: "l", tail: "e", bytes: 1_200_000, sha256: sha256(files[1] as string) };
  const toolDone = d.toolDone("c1") as Draft & { payload: object };
  await journal.commands.createProject({ project_id: "p1", name: "Dock" });
  const attached = { name: "a", media_type: "text/plain", sha256: sha256("attached"), bytes: 8 };
  const start = {
    session_id: "s1",
    message: 'Zażółć 🙂 "q" \\ \n',
    message_id: "k1",
    project_id: "p1",
    attachments: [attached],
  };
  const going = await s.start(journal, start);
  const claim = await s.claimed(journal);
  await s.write(journal, claim, d.started(), d.turnStarted(1), d.token("m1", "half a \u0000 sen"));
  await s.write(journal, claim, {
    ...checkpoint,
    payload: { ...checkpoint.payload, manifest },
  } as Draft);
  await s.write(journal, claim, {
    ...toolDone,
    payload: { ...toolDone.payload, output: { ...output, truncated: true } },
  } as Draft);
  const queued = await s.start(journal, { message: "next" });
  const sooner = await s.start(journal, { message: "sooner" });
  await journal.commands.moveQueued(sooner, { before: queued });
  const said = { session_id: "term:1", message_id: "c1", text: "hi", source: "terminal" };
  await journal.commands.takeChannelMessage(said, s.DEFAULTS);
  await pushStore(journal).addPush({
    endpoint: "https://push/1",
    p256dh: "p",
    auth: "a",
    label: "here",
  });
  await pushStore(journal).claimPush("ended 1");
  await journal.registry.addLoginCode("code", 600);
  await journal.registry.keepShared("token", "secret");
  return { files, manifest, start, going, queued, sooner, claim, said };
}

test("[K3, A8] moved into a home that had another journal, nothing is said to be lost", async () => {
  await using home = newHome();
  await fillFromRecordings(home.home);
  await using back = newHome();
  writeMark(markPath(back.home), { epoch: "earlier", events: 2, hash: "f".repeat(64) });

  const { epoch } = await migrate({ from: home.place, to: back.place });

  await using journal = await back.open();
  assert.equal(journal.epoch, epoch);
});

for (const [kind, create] of Object.entries(KINDS)) {
  test(`[X1, X2, K3, J2] sqlite to ${kind}: what was going on goes on, what was kept is kept, what was done is not done again`, async () => {
    await using home = newHome();
    await using target = await create();
    const { files, manifest, claim, said, ...runs } = await (async () => {
      await using journal = await home.open();
      return await lived(journal);
    })();
    const moved = await migrate({ from: home.place, to: target.place });
    assert.deepEqual([moved.blobs, moved.absent, moved.damaged], [4, 1, []]); // a checkpoint's sample has no blob
    assert.equal(moved.shared.get("token"), "secret");
    const before = await seen(home);
    assert.deepEqual(await seen(target), {
      ...before,
      lists: { ...before.lists, runs: before.lists.runs.map((each) => each.map(freed)) },
    });

    await using journal = await target.open();
    for (const file of files) {
      assert.equal((await buffer(journal.blobs.read(sha256(file)))).toString(), file);
    }
    assert.ok(await journal.blobs.size(manifest));
    const again = { ...runs.start, message: "else" };
    await assert.rejects(journal.commands.startRun(again, s.DEFAULTS), {
      code: "idempotency_conflict",
    });
    const repeated = await journal.commands.startRun(runs.start, s.DEFAULTS);
    assert.deepEqual([repeated.status, repeated.run_id], ["duplicate", runs.going]);
    assert.equal((await journal.commands.takeChannelMessage(said, s.DEFAULTS)).duplicate, true);
    assert.equal((await pushStore(journal).pushSubscriptions()).length, 1);
    assert.equal(await pushStore(journal).claimPush("ended 1"), false);
    assert.equal(await journal.registry.takeLoginCode("code"), "taken");
    assert.equal(await journal.registry.shared("token"), "secret");
    assert.equal((await journal.reads.project("p1"))?.name, "Dock");
    await s.claimed(journal); // the device's, whose turn it is
    const next = await s.claimed(journal);
    assert.deepEqual([next.runId, next.fence], [runs.going, claim.fence + 1]);
    assert.deepEqual(await journal.append(claim, [d.token("m1", "stale")]), {
      ok: false,
      reason: "fenced",
    });
    await s.write(journal, next, d.token("m1", "tence"));
    await s.end(journal, next);
    assert.equal((await s.claimed(journal)).runId, runs.sooner);
    await s.start(journal, { session_id: "new" });
    await s.checkSession(journal, "s1");
    assert.deepEqual(await journal.upkeep.verify(), []);
  });
}

const freed = <Run extends { runner_id: string | null }>(run: Run) => ({ ...run, runner_id: null });

test("[D9] both databases have the same tables to bring along, with the same columns", async () => {
  await using home = newHome();
  await using database = await newDatabase();
  await using ends = new AsyncDisposableStack();
  const [here, there] = [
    ends.use(await ends.use(await sqliteTarget(home.home, CATALOGUE)).snapshot()),
    ends.use(await ends.use(await postgresTarget({ url: database.url }, CATALOGUE)).snapshot()),
  ];
  const columns = async (snapshot: typeof here) => {
    const found = new Map<string, string[]>();
    for (const table of (await tablesIn(snapshot)).toSorted()) {
      found.set(table, [...(await snapshot.columns(table))].toSorted());
    }
    return found;
  };
  assert.deepEqual(await columns(here), await columns(there));
});

test("[X5, J10] a move is refused where it would mix, or leave somebody behind; nothing is touched", async () => {
  await using home = newHome();
  await using target = newHome();
  await using database = await newDatabase();
  await assert.rejects(migrate({ from: home.place, to: database.place }), /There is no journal in/);
  await assert.rejects(migrate({ from: database.place, to: home.place }), /There is no journal in/);
  const journal = await home.open();
  await s.start(journal);
  await journal.registry.register(thisProcess("runner", "runner_1"));
  const used = /is in use \(runner \d+ on .*\)\. Stop Quarterdeck first\.$/;
  await assert.rejects(migrate({ from: home.place, to: database.place }), used);
  await journal.registry.unregister("runner_1");
  await journal[Symbol.asyncDispose]();

  for (const place of [target, database]) {
    const there = await place.open();
    await there.commands.createProject({ project_id: "p1", name: "Mine" });
    await assert.rejects(migrate({ from: home.place, to: place.place }), /has projects in it/);
    assert.equal((await there.reads.project("p1"))?.name, "Mine");
    await there.commands.deleteProject("p1");
    await there.registry.register({ ...thisProcess("runner", "far"), host: "elsewhere" });
    await there[Symbol.asyncDispose]();
  }
  const far = /on elsewhere.*--stopped-elsewhere/;
  await assert.rejects(migrate({ from: home.place, to: database.place }), far);
  await migrate({ from: home.place, to: target.place }); // a file is of this machine
  await migrate({ from: home.place, to: database.place, stoppedElsewhere: true });
  await assert.rejects(migrate({ from: home.place, to: database.place }), /has sessions in it/);

  await raw(home.place, "PRAGMA user_version = 99");
  const bytes = readFileSync(journalPath(home.home));
  await using empty = newHome();
  await assert.rejects(migrate({ from: home.place, to: empty.place }), {
    name: "NewerJournalError",
  });
  assert.ok(bytes.equals(readFileSync(journalPath(home.home))));
});

for (const [kind, create] of Object.entries(KINDS)) {
  test(`[D1, J10] a move to ${kind} that stops half-way leaves what nobody can open, and starts over`, async () => {
    await using home = newHome();
    await fillFromRecordings(home.home);
    const before = await seen(home);
    await using target = await create();
    for (const at of ["events", "records", "checked", "lists"]) {
      const stop = new AbortController();
      const progress = (step: string) => {
        if (step === at) stop.abort();
      };
      const stopped = migrate({
        from: home.place,
        to: target.place,
        progress,
        signal: stop.signal,
      });
      await assert.rejects(stopped, { name: "AbortError" });
      await assert.rejects(target.open(), {
        name: "InterruptedMigrationError",
        message: /is incomplete: .* Run “quarterdeck migrate” again; it starts over\.$/,
      });
      await using nowhere = newHome();
      await assert.rejects(migrate({ from: target.place, to: nowhere.place }), /is incomplete/);
    }
    await migrate({ from: home.place, to: target.place });
    assert.deepEqual(await seen(target), before);
  });
}

const MENDED = {
  sqlite: "DROP TRIGGER IF EXISTS bug",
  postgres: "DROP FUNCTION IF EXISTS bug CASCADE",
};
/** What a target could do to a row, as triggers. */
const PLANTED: Record<string, { sqlite: string; postgres: string }> = {
  "loses an event": planted("events", "DELETE FROM events WHERE seq = 3", "RETURN NULL;"),
  "changes a byte": planted(
    "events",
    "UPDATE events SET body = replace(body, 'type', 'typo') WHERE seq = 3",
    "NEW.body := replace(NEW.body, 'type', 'typo'); RETURN NEW;",
  ),
  "moves an event": planted(
    "events",
    "UPDATE events SET session_seq = session_seq + 100000 WHERE seq = 3",
    "NEW.session_seq := NEW.session_seq + 100000; RETURN NEW;",
  ),
  "changes a record": planted(
    "logs",
    "UPDATE logs SET fence = 9 WHERE seq = 3",
    "NEW.fence := 9; RETURN NEW;",
  ),
  "loses a record": planted("logs", "DELETE FROM logs WHERE seq = 3", "RETURN NULL;"),
};

function planted(table: string, sqlite: string, plpgsql: string) {
  return {
    sqlite: `${MENDED.sqlite}; CREATE TRIGGER bug AFTER INSERT ON ${table} WHEN NEW.seq = 3 BEGIN ${sqlite}; END`,
    postgres: `${MENDED.postgres}; CREATE FUNCTION bug() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${plpgsql} END $$;
      CREATE TRIGGER bug BEFORE INSERT ON ${table} FOR EACH ROW WHEN (NEW.seq = 3) EXECUTE FUNCTION bug()`,
  };
}

for (const [kind, create] of Object.entries(KINDS)) {
  test(`[E6, J8] a target in ${kind} that has not what was written is never opened`, async () => {
    await using home = newHome();
    {
      await using journal = await home.open();
      const runId = await s.start(journal); // a log with three events
      await s.write(journal, await s.claimed(journal), d.started());
      assert.equal((await journal.reads.run(runId))?.seq, 3);
    }
    await using target = await create();
    await (await target.open())[Symbol.asyncDispose]();
    for (const [what, bug] of Object.entries(PLANTED)) {
      await raw(target.place, bug[kind as keyof typeof bug]);
      const moving = migrate({ from: home.place, to: target.place });
      await assert.rejects(moving, /is not what was written/, what);
      await assert.rejects(target.open(), { name: "InterruptedMigrationError" });
    }
    await raw(target.place, MENDED[kind as keyof typeof MENDED]);
    await migrate({ from: home.place, to: target.place });
  });
}

test("[J8, D7] what is damaged in the source is named, and comes along only if asked for, quarantined", async () => {
  await using store = sqliteStore();
  const { journal, runId, claim } = await s.withRun(store);
  await s.write(journal, claim, d.started(), d.token("m1", "aye"));
  const other = await s.start(journal, { session_id: "s2" });
  await store.closeAll();
  const at = `log_key = (SELECT log_key FROM logs WHERE log_id = '${runId}')`;
  const harms = [
    [`UPDATE events SET body = replace(body, 'aye', 'nay') WHERE ${at} AND seq = 4`, /at seq 4/],
    [`DELETE FROM events WHERE ${at} AND seq = 4`, /should end at seq 4, not 3/],
    [`UPDATE logs SET hash = '${"0".repeat(64)}' WHERE ${at}`, /head does not fit/],
    [`UPDATE events SET session_seq = 99 WHERE ${at} AND seq = 2`, /at seq 2/],
    [`UPDATE events SET checksum = 1 WHERE ${at} AND seq = 2`, /at seq 2/],
  ] as const;
  for (const [harm, problem] of harms) {
    await using copy = newHome();
    await migrate({ from: { home: store.home }, to: copy.place });
    await raw(copy.place, harm);
    await using target = newHome();
    const move = { from: copy.place, to: target.place };
    const named = (error: Error) => problem.test(error.message) && error.message.includes(runId);
    await assert.rejects(migrate(move), named, harm);
    const moved = await migrate({ ...move, keepDamaged: true });
    assert.deepEqual(
      moved.problems.map(({ logId }) => logId),
      [runId],
    );
    await using there = await target.open();
    assert.match((await there.reads.run(runId))?.quarantined ?? "", problem);
    assert.equal((await there.reads.run(other))?.quarantined, null);
    await s.checkSession(there, "s2");
  }
});

test("[D7] a damaged blob is named, and left out only if asked for", async () => {
  await using home = newHome();
  const { files } = await (async () => {
    await using journal = await home.open();
    return await lived(journal);
  })();
  const name = sha256(files[1] as string);
  writeFileSync(join(home.home, "blobs", name.slice(0, 2), name), "something else");
  await using target = await newDatabase();
  const move = { from: home.place, to: target.place };
  await assert.rejects(migrate(move), new RegExp(`Blob ${name.slice(0, 16)} is damaged`));
  const moved = await migrate({ ...move, keepDamaged: true });
  assert.deepEqual([moved.damaged, moved.blobs], [[name], 3]);
});

test("[X5] what is written to the source meanwhile is not left behind in silence", async () => {
  await using home = newHome();
  await using target = await newDatabase();
  await using journal = await home.open();
  await s.start(journal);
  let written: Promise<unknown> | undefined;
  const progress = (step: string) => {
    if (step === "checked") written ??= s.start(journal, { message: "one more" });
  };
  const moving = migrate({ from: home.place, to: target.place, progress });
  await assert.rejects(moving, /was written to meanwhile/);
  await written;
  await migrate({ from: home.place, to: target.place });
});
