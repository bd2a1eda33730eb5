import assert from "node:assert/strict";
import { test } from "node:test";
import { applyEvent, emptyRun } from "../../kernel/state/run/state.ts";
import { seal } from "../../../test/support/events.ts";
import * as d from "../../../test/support/drafts.ts";
import type { Draft } from "../../kernel/events/events.ts";
import { describeEntry, requestOf } from "./git/git-labels.ts";
import { forField, forFile, lineEndsOf } from "./line-ends.ts";
import { keptDraft } from "./use-draft.ts";
import { savingOf } from "./use-save.ts";

test("[UX, H12] line ends are kept, and a text that mixes them is recognised", () => {
  for (const text of ["", "a", "a\nb\n", "\n\n", "a\r\nb\r\n", "\r\n", "a\r\nb"]) {
    const ends = lineEndsOf(text);
    assert.ok(ends !== null, JSON.stringify(text));
    assert.equal(forFile(forField(text), ends), text);
  }
  for (const text of ["a\r\nb\n", "a\rb", "a\n\r", "\r\r\n"]) assert.equal(lineEndsOf(text), null);
});

test("[UX, H12] a draft that is not ours is none", () => {
  assert.deepEqual(keptDraft('{"text":"a","over":"b"}'), { text: "a", over: "b" });
  for (const stored of [null, "", "null", "1", '{"text":1}', '{"text":"a"}', "{"]) {
    assert.equal(keptDraft(stored), null);
  }
});

test("[UX, H11] git's letters have words, and an entry its diff", () => {
  const entry = (letters: string) => ({
    path: "a",
    from: null,
    index: letters[0] ?? "",
    worktree: letters[1] ?? "",
  });
  assert.deepEqual(describeEntry(entry("M.")), {
    short: "M·",
    long: "changed, to be committed",
    kind: "staged",
  });
  assert.equal(describeEntry(entry("AM")).long, "new, to be committed; changed, not staged");
  assert.equal(describeEntry(entry("UU")).kind, "conflict");
  assert.deepEqual(requestOf(entry("M.")), { of: "index", path: "a" });
  assert.deepEqual(requestOf(entry(".M")), { of: "worktree", path: "a" });
  assert.equal(requestOf(entry("??")), null);
});

function runOf(...drafts: Draft[]) {
  return seal("r1", [d.userMessage("Save a."), d.queued, ...drafts]).reduce(
    applyEvent,
    emptyRun("r1"),
  );
}

test("[UX, H12] a save waits for its turn, and says what stood in its way", () => {
  const intent = d.intent("direct.c0", "direct");
  const begun = [intent, d.started(), d.toolStarted("direct.c0")];
  assert.deepEqual(savingOf(undefined), { state: "waiting", behind: true });
  assert.deepEqual(savingOf(runOf(intent)), { state: "waiting", behind: true });
  assert.deepEqual(savingOf(runOf(...begun)), { state: "waiting", behind: false });
  assert.deepEqual(savingOf(runOf(...begun, d.toolDone("direct.c0"))), { state: "saved" });
  const failed = d.toolDone("direct.c0", "failed");
  const conflict = {
    ...failed,
    payload: {
      ...failed.payload,
      result: { found: "ab" },
      error: { code: "conflict", message: "changed" },
    },
  } as Draft;
  assert.deepEqual(savingOf(runOf(...begun, conflict)), { state: "conflict", found: "ab" });
  assert.equal(savingOf(runOf(...begun, failed)).state, "failed");
});
