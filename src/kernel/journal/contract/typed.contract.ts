// C20: a command that is typed as a message is executed once, the same in every window, and no model reads it.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as d from "../../../../test/support/drafts.ts";
import { EVERYWHERE } from "../../text/slash-commands.ts";
import type { Journal } from "../journal.ts";
import * as s from "./store.contract.ts";

let count = 0;
const say = (journal: Journal, message: string, more: object = {}) =>
  journal.commands.startRun({ session_id: "s1", message, ...more }, s.DEFAULTS);
const emit = (journal: Journal, text: string) =>
  journal.commands.takeChannelMessage(
    { session_id: "s1", message_id: `t${(count += 1)}`, text, source: "terminal" },
    s.DEFAULTS,
  );

/** The text of a run that ended at once. */
async function saidBy(journal: Journal, runId: string | null | undefined) {
  assert.ok(runId);
  const run = await journal.reads.run(runId);
  assert.deepEqual([run?.status, run?.rewound_at === null], ["completed", false]);
  return (await s.payloadsOf(journal, runId, "done"))[0]?.["result"];
}

export function typedContract(name: string, open: s.OpenStore): void {
  test(`${name} [C20f, J6] a command is done once per message id and answered by a run that is over`, async () => {
    await using store = await open();
    const journals = [await store.connect(), await store.connect()] as const;
    const [journal] = journals;
    const [a, b] = [await s.exchange(journal, "a"), await s.exchange(journal, "b")];
    const outcomes = await Promise.all(
      [0, 1, 0].map((by) => say(journals[by as 0 | 1], "/undo", { message_id: "u1" })),
    );
    assert.deepEqual(s.statuses(outcomes).toSorted(), ["accepted", "duplicate", "duplicate"]);
    assert.equal(new Set(outcomes.map(({ run_id }) => run_id)).size, 1);
    const undone = (await journal.reads.runsOf("s1")).filter(
      ({ rewound_at }) => rewound_at !== null,
    );
    const answer = outcomes[0]?.run_id;
    assert.deepEqual(undone.map(({ run_id }) => run_id).toSorted(), [b, answer ?? ""].toSorted());
    assert.equal(await saidBy(journal, answer), "The newest exchange is left out.");
    assert.deepEqual(await s.typesOf(journal, answer ?? ""), [
      "message.user",
      "run.queued",
      "run.started",
      "token.delta",
      "message.completed",
      "done",
    ]);
    assert.equal(await s.claimNext(journal), undefined, "nobody has anything to do for it");
    assert.equal((await journal.commands.undo("s1", {}))?.run_id, a, "the answer is no exchange");
    const kept = await s.lists(journal);
    await journal.upkeep.rebuild();
    assert.deepEqual(await s.lists(journal), kept);
  });

  test(`${name} [C20b] what becomes a run is that run: retry, compress, queue, a new goal`, async () => {
    await using store = await open();
    const journal = await store.connect();
    await s.exchange(journal, "Count.");
    const promptOf = async (runId: string | null) => (await journal.reads.run(runId ?? ""))?.prompt;
    const retried = await say(journal, "/retry");
    assert.equal(await promptOf(retried.run_id), "Count.");
    const queued = await say(journal, "/queue and then this", { message_id: "q1" });
    assert.equal(await promptOf(queued.run_id), "and then this");
    assert.equal(
      (await s.payloadsOf(journal, queued.run_id ?? "", "message.user"))[0]?.["message_id"],
      "q1",
    );
    assert.equal(
      (await say(journal, "/queue and then this", { message_id: "q1" })).run_id,
      queued.run_id,
    );
    const stopped = await say(journal, "/stop");
    assert.equal(await saidBy(journal, stopped.run_id), "Stopping.");
    assert.equal((await journal.reads.run(retried.run_id ?? ""))?.status, "cancelled");
    assert.equal(await saidBy(journal, (await say(journal, "/undo")).run_id), BUSY);
    await say(journal, "/stop");
    assert.equal(
      await saidBy(journal, (await say(journal, "/stop")).run_id),
      "Nothing is running.",
    );
    const compressed = await say(journal, "/compact the numbers");
    const [plan] = await s.payloadsOf(journal, compressed.run_id ?? "", "tool.intent");
    assert.deepEqual(plan?.["plan"], {
      tool: "compress",
      arguments: { focus: "the numbers" },
      workspace: "/w",
    });
  });

  test(`${name} [C20] goals, titles, models and branches by a message`, async () => {
    await using store = await open();
    const journal = await store.connect();
    const begun = await say(journal, "/goal ship it");
    assert.deepEqual(
      [begun.status, (await journal.reads.run(begun.run_id ?? ""))?.prompt],
      ["accepted", "ship it"],
    );
    const session = async () => journal.reads.session("s1");
    assert.equal((await session())?.title, "ship it");
    const said = async (text: string) => saidBy(journal, (await say(journal, text)).run_id);
    assert.equal(await said("/goal"), "Goal: ship it");
    assert.equal(await said("/goal pause"), "Goal paused: ship it");
    assert.equal(await said("/goal clear"), "Goal cleared.");
    assert.equal(await said("/goal status"), "No goal is set.");
    assert.equal(await said("/title Another name"), "Renamed: Another name");
    assert.equal(await said("/model demo/other"), "The next run uses demo/other.");
    assert.deepEqual(
      [(await session())?.title, (await session())?.model],
      ["Another name", "demo/other"],
    );
    assert.match(String(await said("/branch")), /^The branch is open as session sess_/);
    assert.equal(await said("/retry now"), "/retry takes nothing behind it.");
    const help = String(await said("/help"));
    for (const each of EVERYWHERE) assert.ok(help.includes(`/${each}`), each);
  });

  test(`${name} [C20, C2] what goes on already is not begun again when its message is sent again`, async () => {
    await using store = await open();
    const journal = await store.connect();
    await s.exchange(journal, "Count.");
    const first = await say(journal, "/compress", { message_id: "c1" });
    const second = await say(journal, "/compress", { message_id: "c2" });
    assert.equal(second.run_id, first.run_id, "it is being compressed");
    const claim = await s.claimed(journal);
    await s.write(journal, claim, d.started());
    await s.end(journal, claim);
    const again = await say(journal, "/compress", { message_id: "c2" });
    assert.deepEqual([again.status, again.run_id], ["duplicate", first.run_id]);
  });

  test(`${name} [C20, W8] windows that number their messages alike do not take each other's`, async () => {
    await using store = await open();
    const journal = await store.connect();
    const paged = await say(journal, "/queue from the page", { message_id: "m1" });
    const device = { session_id: "s1", message_id: "m1", source: "terminal" };
    const emitted = async (text: string) =>
      (await journal.commands.takeChannelMessage({ ...device, text }, s.DEFAULTS)).message.run_id;
    const theirs = await emitted("/queue from the device");
    assert.equal((await journal.reads.run(theirs))?.prompt, "from the device");
    assert.notEqual(theirs, paged.run_id);
    assert.equal(await emitted("/queue from the device"), theirs);
  });

  test(`${name} [C20, C9] a session that begins with a command is called by what was said in it`, async () => {
    await using store = await open();
    const journal = await store.connect();
    const titles: Record<string, string> = {
      "/goal ship it": "ship it",
      "/goal set ship it": "ship it",
      "/queue do this": "do this",
      "/steer do that": "do that",
      "/goal pause": "/goal pause",
      "/help": "/help",
    };
    for (const [message, title] of Object.entries(titles)) {
      const { session_id } = await say(journal, message, { session_id: `s-${(count += 1)}` });
      assert.equal((await journal.reads.session(session_id ?? ""))?.title, title, message);
    }
  });

  test(`${name} [C20c] an unknown word, a path, a side question and a message without a session are ordinary messages`, async () => {
    await using store = await open();
    const journal = await store.connect();
    const outcomes = [
      await say(journal, "/deploy now"),
      await say(journal, "/etc/hosts is wrong"),
      await say(journal, "/yolo on"),
      await say(journal, "/compress", { aside: true }),
      await journal.commands.startRun({ message: "/compress" }, s.DEFAULTS),
    ];
    for (const { run_id } of outcomes) {
      assert.equal((await journal.reads.run(run_id ?? ""))?.status, "queued");
    }
  });

  test(`${name} [C20d, W8] a device's command is done whatever waits, and never changes whose rules hold`, async () => {
    await using store = await open();
    const { journal, runId } = await s.withRun(store);
    const first = await emit(journal, "/stop");
    assert.equal(await saidBy(journal, first.message.run_id), "Stopping.");
    assert.equal((await journal.reads.run(runId))?.status, "cancelling");
    const refused = await emit(journal, "/profile other");
    assert.equal(await saidBy(journal, refused.message.run_id), "/profile is not available here.");
    assert.equal((await journal.reads.session("s1"))?.profile, "default");
  });
}

const BUSY = "A run is active or waits: stop it first.";
