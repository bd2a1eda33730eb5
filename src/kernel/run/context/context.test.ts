import assert from "node:assert/strict";
import { test } from "node:test";
import * as d from "../../../../test/support/drafts.ts";
import { seal, type AnyDraft } from "../../../../test/support/events.ts";
import { applyEvent, emptyRun } from "../../state/run/state.ts";
import { sqliteStore } from "../../../../test/support/journal/sqlite-store.ts";
import * as s from "../../journal/contract/store.contract.ts";
import type { Journal } from "../../journal/journal.ts";
import { loadRun } from "../../journal/read/load-run.ts";
import { buildMessages, messagesOf } from "./context.ts";
import { historyOf } from "./conversation.ts";

const conversation = (drafts: readonly AnyDraft[]) =>
  messagesOf(seal("r1", drafts).reduce(applyEvent, emptyRun("r1"))).map(({ role, text }) =>
    role === "tool" ? "tool" : `${role}: ${text}`,
  );

const begun = [d.userMessage("hello"), d.queued, d.started()];

test("[R2b] no model is told that it said what was superseded", () => {
  const drafts = [
    ...begun,
    d.turnStarted(1),
    d.token("m1.1", "half an ans"),
    d.superseded(1),
    d.turnStarted(1, 2),
    d.said("m1.2", "a whole answer", "t1.2"),
    d.turnCompleted(1, 2),
  ];
  assert.deepEqual(conversation(drafts), ["user: hello", "assistant: a whole answer"]);
});

test("[C3b] a steer is read after the turn it was said in, however early in it that was", () => {
  const turn = [d.said("m1.1", "first"), d.intent("c1"), d.toolStarted("c1"), d.toolDone("c1")];
  const steer = d.userMessage("hurry", "steer");
  const expected = ["user: hello", "assistant: first", "tool", "user: hurry"];
  for (let at = 0; at <= turn.length; at++) {
    const drafts = [...begun, d.turnStarted(1), ...turn.toSpliced(at, 0, steer)];
    assert.deepEqual(conversation(drafts), expected, `said after ${at} events of the turn`);
  }
});

test("[C3] what is said between turns comes before the next one", () => {
  const drafts = [
    ...begun,
    d.turnStarted(1),
    d.said("m1.1", "first"),
    d.turnCompleted(1),
    d.userMessage("more", "steer"),
    d.turnStarted(2),
    d.said("m2.1", "second", "t2.1"),
  ];
  const expected = ["user: hello", "assistant: first", "user: more", "assistant: second"];
  assert.deepEqual(conversation(drafts), expected);
});

test("[C8] an edited message is read as it is now, one that was taken back by nobody", () => {
  const changed = [...begun, d.edited("m_start", "good morning")];
  assert.deepEqual(conversation(changed), ["user: good morning"]);
  const steered = [...begun, d.turnStarted(1), d.userMessage("hurry", "steer")];
  const drafts = [...steered, d.edited("m_steer", null), d.said("m1.1", "first")];
  assert.deepEqual(conversation(drafts), ["user: hello", "assistant: first"]);
});

test("[R10] after a compression only the first message and the kept turns are told word by word", () => {
  const turn = (index: number) => [
    d.turnStarted(index),
    d.said(`m${index}.1`, `answer ${index}`, `t${index}.1`),
    d.turnCompleted(index),
  ];
  const drafts = [
    ...begun,
    ...turn(1),
    d.userMessage("old words", "steer"),
    ...turn(2),
    d.compacted("what was", 2),
    d.userMessage("new words", "steer"),
    ...turn(3),
  ];
  assert.deepEqual(conversation(drafts), [
    "user: hello",
    "assistant: answer 2",
    "user: new words",
    "assistant: answer 3",
  ]);
});

test("[R10c, C3] what was said while a summary was being made is told word by word", () => {
  const began = {
    ...d.compacted("", 1),
    payload: { ...d.compacted("", 1).payload, phase: "started" },
  };
  const drafts = [
    ...begun,
    began as AnyDraft, // before the first turn: nothing of a turn marks the place
    d.userMessage("meanwhile", "steer"),
    d.compacted("what was", 1),
    d.turnStarted(1),
  ];
  assert.deepEqual(conversation(drafts), ["user: hello", "user: meanwhile"]);
});

test("[C8] a run whose message was taken back is not told, and its end neither", () => {
  const back = [d.userMessage("hello"), d.queued, d.edited("m_start", null)];
  assert.deepEqual(conversation([...back, d.done(4, "cancelled")]), []);
});

test("[C13] what an earlier run says after a branch was made does not reach the branch", async () => {
  await using store = sqliteStore();
  const journal = await store.connect();
  await s.start(journal, { message: "one" });
  await s.start(journal, { message: "two" });
  await journal.commands.branch("s1", { session_id: "b1" });
  const claim = await s.claimed(journal);
  await s.write(journal, claim, d.started(), d.turnStarted(1), d.said("m1", "too late"));
  await s.end(journal, claim);
  const runId = await s.start(journal, { session_id: "b1", message: "here" });
  const state = await loadRun(journal, runId);
  assert.ok(state);
  const { runs } = await historyOf(journal, state);
  const said = runs.flatMap((run) => messagesOf(run).map(({ text }) => text));
  assert.deepEqual(said, ["one", "two"]);
});

test("[C20, C13] a branch from the answer to a command tells no model of it", async () => {
  await using store = sqliteStore();
  const journal = await store.connect();
  await s.exchange(journal, "one");
  const { run_id } = await journal.commands.startRun(
    { session_id: "s1", message: "/help" },
    s.DEFAULTS,
  );
  await journal.commands.branch("s1", { session_id: "b1", run_id: run_id ?? "" });
  const state = await loadRun(journal, await s.start(journal, { session_id: "b1" }));
  assert.ok(state);
  const { runs } = await historyOf(journal, state);
  const said = runs.flatMap((run) => messagesOf(run).map(({ text }) => text));
  assert.deepEqual(said, ["one", "re: one"]);
});

test("[C13] a call that was open where a branch begins is told as unfinished", () => {
  const drafts = [
    ...begun,
    d.turnStarted(1),
    d.said("m1.1", ""),
    d.intent("c1"),
    d.toolStarted("c1"),
  ];
  const run = seal("r1", drafts).reduce(applyEvent, emptyRun("r1"));
  assert.match(messagesOf(run).at(-1)?.text ?? "", /had not ended here/);
});

test("[C11, C3] what is said to a command's run is told after what the command did", () => {
  const direct = [...begun, d.intent("direct.c0", "direct"), d.toolStarted("direct.c0")];
  const said = [...direct, d.userMessage("and then?", "steer"), d.toolDone("direct.c0")];
  const expected = ["user: [The user did this: Run ls. Result: completed]", "user: and then?"];
  assert.deepEqual(conversation(said), expected);
  const turn = [d.turnStarted(1), d.said("m1.1", "This.")];
  assert.deepEqual(conversation([...said, ...turn]), [...expected, "assistant: This."]);
});

test("[C11] a person's command is told as what it did, a compression not at all", () => {
  const direct = [...begun, d.intent("direct.c0", "direct"), d.toolStarted("direct.c0")];
  const [emitted] = conversation([...direct, d.toolDone("direct.c0")]);
  assert.match(emitted ?? "", /^user: \[The user did this: Run ls\. Result: completed\]$/);
});

/** What the run's model is told, without the system's words. */
async function emitted(journal: Journal, runId: string): Promise<string[]> {
  const state = await loadRun(journal, runId);
  assert.ok(state);
  const [, ...messages] = await buildMessages(journal, state, "");
  return messages.map(({ role, text }) => `${role}: ${text}`);
}
const history = [
  { role: "user" as const, text: "elsewhere" },
  { role: "assistant" as const, text: "indeed" },
];

test("[R16] a history that a run brings replaces everything before it, also for later runs", async () => {
  await using store = sqliteStore();
  const journal = await store.connect();
  await s.exchange(journal, "old");
  const first = await s.start(journal, { message: "new", history });
  const brought = ["user: elsewhere", "assistant: indeed", "user: new"];
  assert.deepEqual(await emitted(journal, first), brought);
  const claim = await s.claimed(journal);
  await s.write(journal, claim, d.started(), d.turnStarted(1), d.said("m1", "yes"));
  await s.end(journal, claim);
  const next = await s.start(journal, { message: "more" });
  assert.deepEqual(await emitted(journal, next), [...brought, "assistant: yes", "user: more"]);
  await s.end(journal, await s.claimed(journal));

  await journal.commands.branch("s1", { session_id: "s2", run_id: first, seq: 1 });
  const branched = await s.start(journal, { session_id: "s2", message: "here" });
  assert.deepEqual(await emitted(journal, branched), [...brought, "user: here"], "however early");
  await journal.commands.undo("s1", {});
  await journal.commands.undo("s1", {});
  const after = await s.start(journal, { message: "again" });
  assert.deepEqual(await emitted(journal, after), [
    "user: old",
    "assistant: re: old",
    "user: again",
  ]);
});

test("[R16, R10] a summary stands for a past that was brought before it", async () => {
  await using store = sqliteStore();
  const journal = await store.connect();
  const runId = await s.start(journal, { message: "new", history });
  const claim = await s.claimed(journal);
  await s.write(journal, claim, d.started(), d.turnStarted(1), d.compacted("what was", 1));
  const [summary, ...rest] = await emitted(journal, runId);
  assert.match(summary ?? "", /what was/);
  assert.deepEqual(rest, ["user: new"]);
  await s.end(journal, claim);
  const later = await s.start(journal, { message: "other", history });
  assert.deepEqual((await emitted(journal, later)).slice(0, 1), ["user: elsewhere"]);
});

test("[R16, C8] a history belongs to the message that it came with", async () => {
  await using store = sqliteStore();
  const journal = await store.connect();
  await s.exchange(journal, "old");
  const runId = await s.start(journal, { message: "new", message_id: "k", history });
  await journal.commands.editMessage({ runId, messageId: "k" }, { text: null });
  const next = await s.start(journal, { message: "next" });
  assert.deepEqual(await emitted(journal, next), ["user: old", "assistant: re: old", "user: next"]);
});

test("[R16] a history that a run brings begins with a user and has no empty message", async () => {
  await using store = sqliteStore();
  const journal = await store.connect();
  const blank = { role: "user" as const, text: "  " };
  const past = [blank, { role: "assistant" as const, text: "Welcome." }, blank];
  const runId = await s.start(journal, { message: "new", history: past });
  const [opening, ...rest] = await emitted(journal, runId);
  assert.match(opening ?? "", /^user: \[.*elsewhere.*\]$/);
  assert.deepEqual(rest, ["assistant: Welcome.", "user: new"]);
  const nothing = await s.start(journal, { session_id: "s2", message: "x", history: [blank] });
  assert.deepEqual(await emitted(journal, nothing), ["user: x"]);
});

test("[R16a] a subagent is told nothing of it", async () => {
  await using store = sqliteStore();
  const journal = await store.connect();
  await s.start(journal, { message: "new", history });
  const parent = await s.claimed(journal);
  await journal.startChild({ runId: "run_child", parent, message: "look" });
  assert.deepEqual(await emitted(journal, "run_child"), ["user: look"]);
});
