// E: what an event is, and J1, J3: how it is written and when it may be seen.
import assert from "node:assert/strict";
import { test } from "node:test";
import { done, said, started, thought, token } from "../../../../test/support/drafts.ts";
import type { Draft } from "../../events/events.ts";
import * as s from "./store.contract.ts";

const big = (chars: number) => token("m1", "x".repeat(chars));

export function eventsContract(name: string, open: s.OpenStore): void {
  test(`${name} [E1a] the journal assigns everything but type and payload`, async () => {
    await using store = await open();
    const { journal, runId, claim } = await s.withRun(store);
    await s.write(journal, claim, token("m1", "hi"));

    const event = (await s.runEvents(journal, runId)).at(-1);
    assert.ok(event);
    const { created_at, prev_hash, hash, ...rest } = event;
    assert.deepEqual(rest, {
      event_id: `${runId}:3`,
      seq: 3,
      run_id: runId,
      session_id: "s1",
      session_seq: 4,
      epoch: journal.epoch,
      terminal: false,
      ...token("m1", "hi"),
    });
    assert.ok(Math.abs(created_at - Date.now() / 1000) < 60);
    assert.match(`${prev_hash}${hash}`, /^[0-9a-f]{128}$/);
  });

  test(`${name} [J8, V1] pages that are asked for at once are each those that were asked for`, async () => {
    await using store = await open();
    const journal = await store.connect();
    const runs: string[] = [];
    for (let n = 0; n < 12; n += 1) {
      runs.push(await s.start(journal, { session_id: `s${n}`, message: `${n}` }));
      const claim = await s.claimed(journal);
      await s.write(journal, claim, started(), token("m1", `of ${n} `), said("m1", `of ${n}`));
    }
    const spans = Array.from({ length: 90 }, (_, at) => ({
      n: at % 12,
      after: at % 5,
      limit: 1 + (at % 4),
    }));
    const pages = await Promise.all(
      spans.flatMap(({ n, after, limit }) => [
        journal.readRun(runs[n] ?? "", after, limit),
        journal.readSession(`s${n}`, after, limit),
        journal.readRun(n % 2 ? `nobody${n}` : `no\0body${n}`, after, limit), // what anybody may ask for
      ]),
    );
    for (const [at, { n, after, limit }] of spans.entries()) {
      const [run, session, nobody] = pages.slice(at * 3, at * 3 + 3);
      assert.equal(nobody, undefined);
      assert.equal(run?.rows.length, Math.min(limit, (run?.head ?? 0) - after), `${at}`);
      assert.equal(session?.rows.length, Math.min(limit, (session?.head ?? 0) - after), `${at}`);
      const seen = (rows = run?.rows ?? []) =>
        rows.map(([seq, , body]) => [seq, body.includes(`"s${n}"`)]);
      assert.deepEqual(
        seen(),
        Array.from(run?.rows ?? [], (_, index) => [after + index + 1, true]),
      );
    }
  });

  test(`${name} [E2, E4] numbers have no gaps, in a run and across a session`, async () => {
    await using store = await open();
    const { journal, claim } = await s.withRun(store);
    await s.start(journal, { message: "second" });
    await s.write(journal, claim, started(), token("m1", "a"));
    await journal.commands.updateTitle("s1", { title: "New" });
    await s.write(journal, claim, said("m1", "a"), done(6));
    const next = await s.claimed(journal);
    await s.write(journal, next, started());

    await s.checkSession(journal, "s1");
    assert.equal((await journal.reads.session("s1"))?.seq, (await s.sessionEvents(journal)).length);
  });

  test(`${name} [E3] what happens outside any run is in the session's own log`, async () => {
    await using store = await open();
    const journal = await store.connect();
    await s.start(journal);
    await s.start(journal, { message: "later" });
    await journal.commands.updateTitle("s1", { title: "New" });
    await journal.commands.updateGoal("s1", { action: "set", text: "ship" });

    const own = await s.runEvents(journal, "s1");
    assert.deepEqual(
      own.map(({ type, run_id, event_id }) => [type, run_id, event_id]),
      [
        ["session.created", "s1", "s1:1"],
        ["queue.updated", "s1", "s1:2"],
        ["title.updated", "s1", "s1:3"],
        ["goal.updated", "s1", "s1:4"],
      ],
    );
  });

  test(`${name} [E5] created_at never decreases, whatever the clock does`, async (t) => {
    await using store = await open();
    const { journal, runId, claim } = await s.withRun(store);
    const now = Date.now();
    let jump = 0;
    t.mock.method(Date, "now", () => now + jump); // mocked once: restoring a mock of a mock does not work
    for (jump of [0, 5_000, -3_600_000, -7_200_000, 10_000]) {
      await s.write(journal, claim, token("m1", "a"));
    }
    t.mock.restoreAll();

    const times = (await s.runEvents(journal, runId)).map(({ created_at }) => created_at);
    assert.deepEqual(
      times,
      times.toSorted((a, b) => a - b),
    );
    await s.checkSession(journal, "s1");
  });

  test(`${name} [E7, X6] nothing follows the end`, async () => {
    await using store = await open();
    const { journal, runId, claim } = await s.withRun(store);
    const results = await Promise.all([
      journal.append(claim, [started(), done(4)]),
      journal.append(claim, [token("m1", "too late")]), // in the same turn of the event loop
      journal.append(claim, [done(5)]),
    ]);
    const finished = { ok: false, reason: "finished" };
    assert.deepEqual(results, [{ ok: true, seq: 4 }, finished, finished]);
    assert.deepEqual(await journal.append(claim, [done(5)]), finished);
    assert.equal((await s.typesOf(journal, runId)).at(-1), "done");
    await s.checkSession(journal, "s1");
  });

  test(`${name} [E7] one append cannot hold an end and something after it`, async () => {
    await using store = await open();
    const { journal, runId, claim } = await s.withRun(store);
    await assert.rejects(journal.append(claim, [done(3), token("m1", "a")]), TypeError);
    await assert.rejects(journal.append(claim, [done(3), done(4)]), TypeError);
    assert.equal((await journal.reads.run(runId))?.seq, 2);
  });

  test(`${name} [E8b, J1] a draft that does not fit is refused, and its whole append with it`, async () => {
    await using store = await open();
    const { journal, runId, claim } = await s.withRun(store);
    const broken = [
      { type: "token.delta", payload: { message_id: "m1" } },
      { type: "token.delta", payload: { message_id: 1, delta: "a", content_type: "text" } },
      { type: "moon.phase", payload: {} },
      { type: "x.Bad Name", payload: {} },
      { type: 'x."', payload: {} },
      { type: "x.fine", payload: { when: new Date() } },
      { type: "x.fine", payload: { number: NaN } },
    ] as unknown as Draft[];
    for (const draft of broken) {
      await assert.rejects(journal.append(claim, [started(), draft, token("m1", "a")]), TypeError);
    }
    assert.equal((await journal.reads.run(runId))?.seq, 2);

    await s.write(journal, claim, { type: "x.note", payload: { any: ["thing"] } });
    assert.equal((await s.typesOf(journal, runId)).at(-1), "x.note");
  });

  test(`${name} [E9, J1] an event over 1 MiB is refused, alone`, async () => {
    await using store = await open();
    const { journal, runId, claim } = await s.withRun(store);
    await s.start(journal, { session_id: "s2" });
    const other = await s.claimed(journal);

    const results = await Promise.allSettled([
      journal.append(claim, [started(), big(1_048_576)]),
      journal.append(other, [token("m1", "fine")]),
    ]);

    assert.equal(results[0].status, "rejected");
    assert.deepEqual(results[1], { status: "fulfilled", value: { ok: true, seq: 3 } });
    assert.equal((await journal.reads.run(runId))?.seq, 2);
    await s.write(journal, claim, big(1_000_000));
    await s.checkSession(journal, "s1");
  });

  test(`${name} [E9] a command whose event would be too large is refused as that`, async () => {
    await using store = await open();
    const journal = await store.connect();
    // Short as sent, long as stored: 1e20 becomes 21 digits.
    const metadata = { numbers: Array.from({ length: 60_000 }, () => 1e20) };
    const starting = s.start(journal, { session_id: "s9", metadata });
    await assert.rejects(starting, { code: "too_large" });
    assert.equal(await journal.reads.session("s9"), undefined);
  });

  test(`${name} [E10] neighbouring deltas of one turn are one event, and no text is lost`, async () => {
    await using store = await open();
    const { journal, runId, claim } = await s.withRun(store);
    const drafts = [
      token("m1", "a"),
      token("m1", "b"),
      thought("q1", "c"),
      thought("q1", "d"),
      token("m2", "e"),
      token("m1", "f"),
    ];
    const results = await Promise.all(drafts.map((draft) => journal.append(claim, [draft])));

    assert.ok(results.every(({ ok }) => ok));
    const written = (await s.runEvents(journal, runId)).slice(2);
    assert.deepEqual(
      written.map(({ payload }) => (payload as { delta: string }).delta),
      ["ab", "cd", "e", "f"],
    );
  });

  test(`${name} [E10, E9] joining never makes an event too large to store`, async () => {
    await using store = await open();
    const { journal, runId, claim } = await s.withRun(store);
    const deltas = Array.from({ length: 40 }, () => token("m1", "\u0001".repeat(20_000)));
    const results = await Promise.all(deltas.map((draft) => journal.append(claim, [draft])));

    assert.ok(results.every(({ ok }) => ok));
    const events = (await s.runEvents(journal, runId)).slice(2);
    const text = events.map(({ payload }) => (payload as { delta: string }).delta).join("");
    assert.equal(text.length, 800_000);
  });

  test(`${name} [J3] nobody reads what is not committed`, async () => {
    await using store = await open();
    const journal = await store.connect();
    await s.start(journal, { session_id: "s1" });
    const head = (await journal.reads.session("s1"))?.seq;
    const metadata = { numbers: Array.from({ length: 60_000 }, () => 1e20) };
    const wanted = { session_id: "s1", message: "hello", model: "a/b", metadata };
    let settled = false;
    const starting = journal.commands.startRun(wanted, s.DEFAULTS).catch(() => (settled = true)); // rolled back

    for (let looks = 0; looks < 200 && !settled; looks++) {
      const [page, session] = await Promise.all([
        journal.readSession("s1", 0, 50),
        journal.reads.session("s1"),
      ]);
      assert.deepEqual([page?.head, session?.seq, session?.model], [head, head, "demo/demo"]);
    }
    await starting;
    assert.ok(settled);
  });

  test(`${name} [K2] pages: from any place, of any size, and nothing beyond the head`, async () => {
    await using store = await open();
    const { journal, runId, claim } = await s.withRun(store);
    for (const text of ["a", "b", "c"]) await s.write(journal, claim, token("m1", text));

    const page = await journal.readRun(runId, 2, 2);
    assert.deepEqual([page?.head, page?.rows.map(([seq]) => seq)], [5, [3, 4]]);
    assert.deepEqual(await journal.readRun(runId, 5, 10), { head: 5, rows: [] });
    assert.deepEqual(await journal.readRun(runId, 99, 10), { head: 5, rows: [] });
    assert.deepEqual((await journal.readSession("s1", 99, 10))?.head, 6);
    assert.equal(await journal.readRun("nobody", 0, 10), undefined);
    assert.equal(await journal.readSession("nobody", 0, 10), undefined);
  });
}
