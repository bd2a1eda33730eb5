import assert from "node:assert/strict";
import { test } from "node:test";
import type { InboxRequest, InboxView, Trouble } from "../../kernel/api/records/records.ts";
import { budgetRequestId } from "../../kernel/events/budget.ts";
import { entriesOf, neighbour } from "./entries.ts";
import { createInbox } from "./inbox-store.ts";

const request = (request_id: string, kind: InboxRequest["kind"]): InboxRequest => ({
  request_id,
  kind,
  run_id: "r1",
  session_id: "s1",
  call_id: null,
  title: "Allow exec?",
  prompt: "ls",
  choices: [],
  plan_hash: null,
  always: null,
  expires_at: null,
  created_at: 1,
  session_title: "Session",
  run_prompt: "do it",
  workspace: "/w",
});
const trouble = (run_id: string): Trouble => ({
  run_id,
  session_id: "s1",
  title: "Session",
  prompt: "do it",
  status: "failed",
  reason: "boom",
  message: "It was boom.",
  ended_at: 1,
});
const VIEW: InboxView = {
  requests: [
    request("ap", "approval"),
    request(budgetRequestId("r1", 0), "clarify"),
    request("cl", "clarify"),
    request("un", "unknown_outcome"),
  ],
  troubles: [trouble("r2"), trouble("r3")],
  truncated: false,
};

test("[UX] the inbox names what waits, a reached budget too, then what ended badly", () => {
  const entries = entriesOf(VIEW, new Set(["r2"]));
  assert.deepEqual(
    entries.map(({ word }) => word),
    ["Approval", "Budget reached", "Question", "Unknown outcome", "Failed"],
  );
});

test("[UX] when an entry goes, the one in its place is next", () => {
  const before = entriesOf(VIEW, new Set());
  const without = (key: string) => before.filter((entry) => entry.key !== key);
  assert.equal(neighbour(before, without("cl"), "cl"), "un");
  assert.equal(neighbour(before, without("r3"), "r3"), "r2");
  assert.equal(neighbour(before, [], "r3"), null);
});

test("[UX] an ask during an ask is asked once more, and a lost one keeps what is shown", async () => {
  const answers: ((view: InboxView) => void)[] = [];
  const losses: ((error: Error) => void)[] = [];
  const api = {
    inbox: () =>
      new Promise<InboxView>((resolve, reject) => {
        answers.push(resolve);
        losses.push(reject);
      }),
  };
  const store = createInbox(api);
  const next = () =>
    new Promise<void>((resolve) => {
      const stop = store.subscribe(() => {
        stop();
        resolve();
      });
    });
  store.refresh();
  store.refresh();
  store.refresh();
  assert.equal(answers.length, 1);
  const first = next();
  answers[0]?.(VIEW);
  await first;
  assert.equal(answers.length, 2, "what happened meanwhile may not be in the first answer");
  const second = next();
  losses[1]?.(new Error("away"));
  await second;
  assert.deepEqual(store.getState(), { view: VIEW, failed: true });
  assert.equal(answers.length, 2);
});
