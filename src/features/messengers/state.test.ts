// A session as a messenger shows it, from events alone.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as d from "../../../test/support/drafts.ts";
import { sealAll } from "../../../test/support/events.ts";
import type { Draft, PayloadOf } from "../../kernel/events/events.ts";
import { splitBlocks } from "./split.ts";
import { approvalAsk } from "./labels.ts";
import { advanceMessenger, emptyMessenger, isSettled, messengerPosts } from "./state.ts";

function folded(drafts: readonly Draft[], upTo = drafts.length) {
  const events = sealAll(drafts.map((draft) => ({ logId: "r1", draft })));
  const state = emptyMessenger(0);
  for (const event of events.slice(0, upTo)) {
    advanceMessenger(state, event);
    advanceMessenger(state, event); // delivery is at least once
  }
  return state;
}
const shown = (drafts: readonly Draft[], source = "test") =>
  messengerPosts(folded(drafts), source).map(
    ({ part, blocks, final }) =>
      `${part}${final ? "" : "…"} ${blocks.map(({ text }) => text).join("|")}`,
  );
/** The oldest question that waits. */
const waitingAsk = ({ runs }: ReturnType<typeof emptyMessenger>) =>
  [...runs.values()].flatMap(({ posts }) => posts).find(({ ask }) => ask !== null)?.ask ?? null;
const BEGUN = [d.userMessage("do it"), d.queued, d.started(), d.turnStarted(1)];

test("[G4a] a reply grows, and what was said before a question stays above it", () => {
  assert.deepEqual(shown(BEGUN), []);
  const saying = [...BEGUN, d.token("m1", "Let me "), d.token("m1", "look")];
  assert.deepEqual(shown(saying), ["reply:r1:0… Let me look"]);
  assert.deepEqual(
    shown(saying, "telegram"),
    ["reply:r1:0… ↪ do it|Let me look"],
    "asked elsewhere",
  );
  const asked = [...saying, d.said("m1", "Let me look"), d.intent("c1"), d.approvalAsked("c1")];
  const [reply, ask] = shown(asked);
  assert.equal(reply, "reply:r1:0 Let me look");
  assert.match(ask ?? "", /^ask:ap_c1…/);
  assert.equal(waitingAsk(folded(asked))?.planHash, d.PLAN_HASH);
  assert.equal(isSettled(folded(asked)), false);
  const answered = [...asked, d.approvalGiven("c1", "once"), d.done(20, "completed")];
  const ended = folded(answered);
  assert.equal(waitingAsk(ended), null);
  assert.ok(isSettled(ended));
  const posts = messengerPosts(ended, "test");
  assert.ok(posts.every(({ final, ask: waits }) => final && waits === null));
  assert.deepEqual(
    posts.map(({ part }) => part),
    ["reply:r1:0", "ask:ap_c1", "reply:r1:1"],
  );
});

test("[G4, G6] whoever folds the same events finds the same parts, at every moment", () => {
  const drafts = [
    ...BEGUN,
    d.token("m1", "a"),
    d.said("m1", "a"),
    d.intent("c1"),
    d.approvalAsked("c1"),
  ];
  const seen = new Map<string, number>();
  for (let upTo = 1; upTo <= drafts.length; upTo++) {
    for (const [at, { part }] of messengerPosts(folded(drafts, upTo), "test").entries()) {
      assert.equal(seen.get(part) ?? at, at, `${part} stays where it is`);
      seen.set(part, at);
    }
  }
});

test("[G7a] pieces hold everything, none is too long, and first ones stay while a text grows", () => {
  const words = Array.from(
    { length: 3_000 },
    (_, index) => `wörd${index}${index % 9 ? " " : "\n"}😀`,
  ).join("");
  const of = (text: string) =>
    splitBlocks([{ kind: "text", text }], 500).map(([block]) => block?.text ?? "");
  const whole = of(words);
  assert.ok(whole.every((piece) => piece.length <= 500 && piece.isWellFormed()));
  assert.equal(whole.join("").replaceAll("\n", ""), words.replaceAll("\n", ""));
  for (const length of [1_200, 4_000, 9_001]) {
    const pieces = of(words.slice(0, length).toWellFormed());
    assert.deepEqual(pieces.slice(0, -1), whole.slice(0, pieces.length - 1));
  }
  const mixed = splitBlocks(
    [
      { kind: "text", text: "a".repeat(490) },
      { kind: "code", text: "b".repeat(900) },
    ],
    500,
  );
  assert.equal(
    mixed
      .flat()
      .filter(({ kind }) => kind === "code")
      .map(({ text }) => text)
      .join("").length,
    900,
  );
});

const child = (drafts: readonly Draft[]) => drafts.map((draft) => ({ logId: "r1.c1", draft }));
const root = (drafts: readonly Draft[]) => drafts.map((draft) => ({ logId: "r1", draft }));
const IDS = { subagent_id: "r1.c1", child_run_id: "r1.c1", call_id: "c1" };
const CHILD_BEGUN: Draft[] = [
  { type: "subagent.started", payload: { ...IDS, title: "scout", prompt: "look", depth: 1 } },
];
const childQueued = {
  ...d.queued,
  payload: { ...d.queued.payload, parent_run_id: "r1", root_run_id: "r1", depth: 1 },
} as Draft;

test("[G4] a subagent that ends after the run it was stopped with is no run of the conversation", () => {
  const over: Draft = {
    type: "subagent.completed",
    payload: { ...IDS, title: "scout", status: "cancelled", summary: "" },
  };
  const events = sealAll([
    ...root([...BEGUN, d.intent("c1"), ...CHILD_BEGUN]),
    ...child([d.userMessage("look"), childQueued, d.started()]),
    ...root([d.status("cancelling"), over, d.done(20, "cancelled")]),
    ...child([d.done(5, "cancelled")]),
  ]);
  const whole = emptyMessenger(0);
  for (const event of events) advanceMessenger(whole, event);
  assert.deepEqual(
    messengerPosts(whole, "test").map(({ part }) => part),
    ["reply:r1:0"],
  );
  const last = events.at(-1);
  assert.ok(last);
  const later = emptyMessenger(last.session_seq - 1); // a gateway that told everything before it
  advanceMessenger(later, last);
  assert.deepEqual(messengerPosts(later, "test"), []);
});

test("[G5] what a subagent asked is no longer asked when it has ended, though its run goes on", () => {
  const events = sealAll([
    ...root([...BEGUN, d.intent("c1"), ...CHILD_BEGUN]),
    ...child([d.userMessage("look"), childQueued, d.started(), d.turnStarted(1), d.intent("c9")]),
    ...child([d.approvalAsked("c9"), d.status("cancelling"), d.done(9, "cancelled")]),
  ]);
  const state = emptyMessenger(0);
  for (const event of events.slice(0, -1)) advanceMessenger(state, event);
  assert.equal(waitingAsk(state)?.requestId, "ap_c9");
  for (const event of events.slice(-1)) advanceMessenger(state, event);
  assert.equal(waitingAsk(state), null);
  assert.equal(isSettled(state), false);
});

test("[G14] a command that is not shown to its end cannot be allowed there", () => {
  const asked = d.approvalAsked("c1");
  const ask = (prompt: string) =>
    approvalAsk({ ...(asked.payload as PayloadOf<"approval.requested">), prompt }, null);
  const choices = (prompt: string) => ask(prompt).choices.map(({ choice }) => choice);
  assert.deepEqual(choices("x".repeat(3_000)), ["once", "session", "deny"]);
  const long = `${"x".repeat(6_000)} | sh`;
  assert.deepEqual(choices(long), ["deny"]);
  const shown = ask(long)
    .blocks.map(({ text }) => text)
    .join("\n");
  assert.match(shown, /3005 characters more: it can only be allowed in the page/);
});
