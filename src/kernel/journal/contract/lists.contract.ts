// J7: lists that follow from events, snapshots, blobs and processes; J11: wake-ups.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { buffer } from "node:stream/consumers";
import { test } from "node:test";
import * as d from "../../../../test/support/drafts.ts";
import { applyEvent, emptyRun, toSnapshot } from "../../state/run/state.ts";
import type { Wake } from "../journal.ts";
import { loadRun } from "../read/load-run.ts";
import * as s from "./store.contract.ts";

export function listsContract(name: string, open: s.OpenStore): void {
  test(`${name} [J7] lists follow every event, and made anew they are the same`, async () => {
    await using store = await open();
    const { journal, runId, claim } = await s.withRun(store);
    await s.start(journal, { message: "waits", model: "other/model" });
    await s.start(journal, { session_id: "s2", message: "elsewhere" });
    await s.write(journal, claim, d.started(), d.intent("c1"), d.approvalAsked("c1"));
    await s.write(journal, claim, d.status("awaiting_approval"), d.clarifyAsked("cl", null));
    await s.write(journal, claim, d.used(1, 9), d.changed("c1", "a.txt"), d.allowAlways("c3"));
    await journal.commands.respondApproval(
      { runId, approvalId: "ap_c1" },
      { choice: "session", by: "person" },
    );
    await journal.commands.respondApproval(
      { runId, approvalId: "ap_c3" },
      { choice: "always", by: "person" },
    );
    const emitted = { type: "title.updated", payload: { title: "Told", source: "model" } } as const;
    await s.write(journal, claim, emitted);
    assert.equal((await journal.reads.session("s1"))?.title_source, "model");
    await journal.commands.updateTitle("s1", { title: "New" });
    await journal.commands.updateGoal("s1", { action: "set", text: "ship" });
    await journal.startChild({ runId: `${runId}.c2`, parent: claim, message: "part" });
    const other = await s.claimed(journal, { childrenOnly: true });
    await s.write(journal, other, d.started(), d.failed("boom"), d.done(5, "failed"));

    const before = await s.lists(journal);
    const s1 = before.sessions.find(({ session_id }) => session_id === "s1");
    assert.deepEqual(
      [s1?.title, s1?.model, s1?.goal, s1?.active_run_id, s1?.active_status, s1?.pending],
      ["New", "other/model", { text: "ship", status: "active" }, runId, "awaiting_clarify", 1],
    );
    assert.equal(s1?.title_source, "user");
    assert.deepEqual(
      await journal.reads.rules("s2"),
      [d.ALWAYS],
      "in every session of the profile",
    );
    await journal.upkeep.rebuild();
    assert.deepEqual(await s.lists(journal), before);
    assert.equal(await journal.reads.granted("s1", d.PLAN_HASH), true);
  });

  test(`${name} [C10a, J7] a goal that is met is gone, one that is blocked is paused`, async () => {
    await using store = await open();
    const { journal, claim } = await s.withRun(store);
    const goal = async () => (await journal.reads.session("s1"))?.goal;
    await s.write(journal, claim, d.started());
    await journal.commands.updateGoal("s1", { action: "set", text: "ship" });
    await s.write(journal, claim, d.goalDecided("continue"));
    assert.deepEqual(await goal(), { text: "ship", status: "active" });
    await s.write(journal, claim, d.goalDecided("blocked"));
    assert.deepEqual(await goal(), { text: "ship", status: "paused" });
    await journal.commands.updateGoal("s1", { action: "resume" });
    await s.write(journal, claim, d.goalDecided("met"));
    await journal.upkeep.rebuild();
    assert.equal(await goal(), null);
  });

  test(`${name} [J7] sessions come newest first, in pages`, async (t) => {
    await using store = await open();
    const journal = await store.connect();
    let now = Date.now();
    t.mock.method(Date, "now", () => (now += 1_000));
    for (const id of ["a", "b", "c"]) await s.start(journal, { session_id: id });
    await journal.commands.updateTitle("a", { title: "again" });
    const page = async (limit: number, offset: number) =>
      (await journal.reads.sessions({ limit, offset })).map(({ session_id }) => session_id);
    assert.deepEqual(await page(2, 0), ["a", "c"]);
    assert.deepEqual(await page(2, 2), ["b"]);
  });

  test(`${name} [J7, E5] newest first holds over hours, days, and a clock that goes back`, async (t) => {
    await using store = await open();
    const journal = await store.connect();
    const now = Date.now();
    let jump = 0;
    t.mock.method(Date, "now", () => now + jump);
    const hour = 3_600_000;
    const jumps = { a: 0, b: hour, c: 50 * hour, d: -hour, e: 2 * hour + 1, f: 2 * hour };
    for (const [session_id, by] of Object.entries(jumps)) {
      jump = by;
      await s.start(journal, { session_id });
    }
    jump = 51 * hour;
    await journal.commands.updateTitle("d", { title: "the newest now" });
    const order = ["d", "c", "e", "f", "b", "a"];
    const ids = (them: readonly { session_id: string }[]) =>
      them.map(({ session_id }) => session_id);
    const all = { limit: 10, offset: 0 };
    assert.deepEqual(ids(await journal.reads.sessions(all)), order);
    assert.deepEqual(ids((await journal.reads.sessionSummaries(all)).sessions), order);
    assert.deepEqual(ids(await journal.reads.sessions({ limit: 2, offset: 3 })), ["f", "b"]);
    await journal.upkeep.rebuild();
    assert.deepEqual(ids(await journal.reads.sessions(all)), order);
  });

  test(`${name} [F1] a run is loaded from its snapshot and what came after, or without it`, async () => {
    await using store = await open();
    const { journal, runId, claim } = await s.withRun(store);
    await s.write(journal, claim, d.started(), d.turnStarted(1), d.token("m1", "Hel"));
    const half = await loadRun(journal, runId);
    assert.ok(half);
    await journal.saveSnapshot(toSnapshot(half));
    assert.deepEqual(await journal.reads.snapshot(runId), toSnapshot(half));
    await s.write(journal, claim, d.token("m1", "lo"), d.said("m1", "Hello"), d.done(8));

    const folded = (await s.runEvents(journal, runId)).reduce(applyEvent, emptyRun(runId));
    assert.deepEqual(await loadRun(journal, runId), folded);
    await journal.saveSnapshot({ ...toSnapshot(half), reducer: -1 });
    assert.deepEqual(await loadRun(journal, runId), folded, "an unknown reducer's is not used");
    assert.equal(await loadRun(journal, "nobody"), undefined);
  });

  test(`${name} [L8f] a session's fold is kept beside its events, for the reducer that made it`, async () => {
    await using store = await open();
    const [journal, other] = [await store.connect(), await store.connect()];
    await s.start(journal, { session_id: "s1" });
    assert.equal(await journal.reads.savedFold("s1", 1), undefined);
    await journal.saveFold("s1", 1, { seq: 2, text: '{"a":"1 ü\\u0000"}' });
    await journal.saveFold("s1", 12, { seq: 3, text: '{"b":2}' });
    assert.deepEqual(await other.reads.savedFold("s1", 12), { seq: 3, text: '{"b":2}' });
    assert.equal(await other.reads.savedFold("s1", 1), undefined, "only the newest is kept");
    await journal.saveFold("nobody", 1, { seq: 1, text: "{}" });
    assert.equal(await journal.reads.savedFold("nobody", 1), undefined);
  });

  test(`${name} [E9] a blob has the name of its content and is read by range`, async () => {
    await using store = await open();
    const { blobs } = await store.connect();
    const content = Buffer.from("0123456789".repeat(10_000));
    const writer = blobs.create();
    for (let at = 0; at < content.length; at += 30_000) {
      await writer.write(content.subarray(at, at + 30_000));
    }
    const ref = await writer.finish();
    await writer.discard(); // safe after the end

    const sha256 = createHash("sha256").update(content).digest("hex");
    assert.deepEqual(ref, { sha256, bytes: content.length });
    assert.equal(await blobs.size(sha256), content.length);
    assert.ok(content.equals(await buffer(blobs.read(sha256))));
    const part = await buffer(blobs.read(sha256, { start: 5, end: 14 }));
    assert.equal(part.toString(), "5678901234");
    const again = blobs.create();
    await again.write(content);
    assert.deepEqual(await again.finish(), ref);
  });

  test(`${name} [E9] a discarded blob leaves nothing, an empty one is a blob`, async () => {
    await using store = await open();
    const { blobs } = await store.connect();
    const writer = blobs.create();
    await writer.write(Buffer.from("secret"));
    await writer.discard();
    assert.equal(await blobs.size(createHash("sha256").update("secret").digest("hex")), undefined);
    const empty = await blobs.create().finish();
    assert.equal(await blobs.size(empty.sha256), 0);
    for (const name of ["", "..", "../../etc/passwd", "A".repeat(64), "0".repeat(63)]) {
      assert.equal(await blobs.size(name), undefined);
    }
  });

  test(`${name} [J5] processes are known until they leave`, async () => {
    await using store = await open();
    const [journal, other] = [await store.connect(), await store.connect()];
    const about = { pid: 1, started: "1", host: "h", url: null, volumes: ["home", "big"] };
    const record = { kind: "runner", ...about } as const;
    await journal.registry.register({ process_id: "b", ...record, volumes: [] });
    await journal.registry.register({
      process_id: "a",
      ...record,
      kind: "serve",
      url: "http://x",
      volumes: [],
    });
    await journal.registry.register({ process_id: "b", ...record, pid: 2 });
    assert.deepEqual(
      (await other.registry.processes()).map(({ process_id, pid, url, volumes }) => [
        process_id,
        pid,
        url,
        volumes,
      ]),
      [
        ["a", 1, "http://x", []],
        ["b", 2, null, ["home", "big"]],
      ],
    );
    await other.registry.unregister("a");
    assert.equal((await journal.registry.processes()).length, 1);
  });

  test(`${name} [J11, J3] a wake-up comes after every commit and names what can be read`, async () => {
    await using store = await open();
    const { journal, runId, claim } = await s.withRun(store);
    const seen: Promise<[Wake, number | undefined]>[] = [];
    const unwatch = journal.watch((wake) => {
      if (wake === "all") return;
      seen.push(journal.readRun(wake.logId, 0, 50).then((page) => [wake, page?.rows.length]));
    });
    await s.write(journal, claim, d.started());
    await journal.commands.queueMessage(runId, { message: "a", mode: "steer" });
    await journal.commands.updateTitle("s1", { title: "New" });

    assert.deepEqual(await Promise.all(seen), [
      [{ logId: runId, seq: 3, sessionId: "s1", sessionSeq: 4, work: false }, 3],
      [{ logId: runId, seq: 4, sessionId: "s1", sessionSeq: 5, work: false }, 4],
      [{ logId: "s1", seq: 2, sessionId: "s1", sessionSeq: 6, work: false }, 2],
    ]);
    unwatch();
    await s.write(journal, claim, d.token("m1", "a"));
    assert.equal(seen.length, 3);
  });

  test(`${name} [J11, J5] a wake-up says whether there may be a run to claim`, async () => {
    await using store = await open();
    const { journal, claim } = await s.withRun(store);
    const work: boolean[] = [];
    const unwatch = journal.watch((wake) => void (wake !== "all" && work.push(wake.work)));
    await s.write(journal, claim, d.started());
    await s.write(journal, claim, d.token("m1", "a"));
    assert.ok(!work.includes(true), "a token is no runner's affair");
    await s.start(journal);
    assert.ok(work.splice(0).includes(true), "a run was queued");
    await s.end(journal, claim);
    assert.ok(work.includes(true), "another one is next");
    unwatch();
  });

  test(`${name} [J11] what one journal writes wakes every other one`, async () => {
    await using store = await open();
    const journals = [await store.connect(), await store.connect(), await store.connect()];
    for (const writer of journals) {
      const sessionId = `s${journals.indexOf(writer)}`;
      const others = journals.filter((each) => each !== writer);
      const woken = others.map((reader) => {
        const { promise, resolve } = Promise.withResolvers<void>();
        const unwatch = reader.watch((wake) => {
          if (wake === "all" || wake.sessionId === sessionId) resolve();
        });
        return promise.finally(unwatch);
      });
      await s.start(writer, { session_id: sessionId });
      await Promise.all(woken);
      for (const reader of others) await s.checkSession(reader, sessionId);
    }
  });
}
