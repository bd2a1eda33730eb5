import assert from "node:assert/strict";
import { test } from "node:test";
import { emptyView, foldSession } from "../../kernel/client/sessions/store.ts";
import type { Item } from "../../kernel/state/run/items.ts";
import { emptyRun, type RunState, type TurnState } from "../../kernel/state/run/state.ts";
import { vectorOf } from "../../kernel/state/vector.ts";
import { journalOf } from "../../../test/browser/support/stream-server.ts";
import { isBusy, lastExchange } from "../rewind/exchange.ts";
import { queuedOf, unreadSteers } from "./unread.ts";

const steer = (messageId: string, retracted = false) =>
  ({ kind: "user", mode: "steer", messageId, text: messageId, retracted }) as Item;
const text = { kind: "text" } as Item;

function running(items: Item[], firstItem: number, change: Partial<RunState> = {}): RunState {
  const turn = { firstItem } as TurnState;
  return { ...emptyRun("r"), status: "running", turn, items: vectorOf(items), ...change };
}

test("[X1] a steer is unread until a turn has started after it, and none is once the run is over", () => {
  const items = [steer("before"), text, steer("after"), steer("back", true)];
  const ids = (run: RunState) => unreadSteers(run).map(({ messageId }) => messageId);
  assert.deepEqual(ids(running(items, 1)), ["after"]);
  assert.deepEqual(ids(running(items, 4)), []);
  assert.deepEqual(ids(running(items, 1, { status: "cancelling" })), []);
  assert.deepEqual(ids(running(items, 1, { status: "completed" })), []);
});

test("[X1] what waits has all of its words and its order; undo waits until nothing is going on", () => {
  const long = "x".repeat(500);
  const said = (run_id: string, message: string) => [
    {
      type: "message.user",
      run_id,
      payload: { message_id: `m-${run_id}`, text: message, mode: "start", attachments: [] },
    },
    { type: "run.queued", run_id, payload: { model: "demo/x", parent_run_id: null, depth: 0 } },
  ];
  const queued = { run_id: "b", message_id: "m-b", text: long.slice(0, 200) };
  const events = journalOf("s1", [
    ...said("a", "first"),
    { type: "run.started", run_id: "a", payload: { runner_id: "w", model: "demo/x" } },
    ...said("b", long),
    { type: "queue.updated", run_id: "s1", payload: { items: [queued] } },
  ]);
  const view = foldSession(emptyView("s1"), events);
  assert.deepEqual(
    queuedOf(view).map(({ runId, text: words, command }) => [runId, words, command]),
    [["b", long, false]],
  );
  assert.deepEqual([isBusy(view), lastExchange(view)], [true, null]);
});
