// The trees that clients draw from frames: the same however often and however late frames come, and
// never without the thing that waits for a person.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { RunEvent } from "../../src/kernel/events/events.ts";
import type { ExecutionNode } from "../../src/windows/daemon/tree/execution-tree.ts";
import { applySessionEvent, emptySession } from "../../src/kernel/state/session/session-state.ts";
import { readRecordings, type AnyEvent } from "../support/session-recordings.ts";
import { REDUCERS, REPLAY, emit, TELLERS, type Emitted } from "../support/emitted.ts";

const recordings = readRecordings();
const plain = (value: unknown) => JSON.parse(JSON.stringify(value)) as unknown;
const framesOf = (emitted: readonly Emitted[]) => emitted.map(({ frame }) => frame);

for (const [reducer, { of, fold }] of Object.entries(REDUCERS)) {
  const teller = TELLERS.find(({ name }) => name === of);
  assert.ok(teller);

  test(`[W1] ${reducer}: cut anywhere and replayed from anywhere before, it ends the same`, () => {
    fc.assert(
      fc.property(fc.constantFrom(...recordings), fc.nat(), fc.nat(), ({ events }, a, b) => {
        const frames = framesOf(emit(teller, events));
        const cut = a % (frames.length + 1);
        const from = b % (cut + 1);
        const again = [...frames.slice(0, cut), ...frames.slice(from)];
        assert.deepEqual(plain(fold(again)), plain(fold(frames)));
      }),
    );
  });
}

test("[W1] a tree drawn from history is the tree that was drawn live", () => {
  for (const [, { of, fold }] of Object.entries(REDUCERS)) {
    const teller = TELLERS.find(({ name }) => name === of);
    assert.ok(teller);
    for (const { name, events } of recordings) {
      const live: unknown = fold(framesOf(emit(teller, events)));
      const replayed: unknown = fold(framesOf(emit(teller, events, { emitOptions: REPLAY })));
      assert.equal(undated(replayed), undated(live), name);
    }
  }
});

/** Without the marks that say which nodes come from history. */
function undated(state: unknown): string {
  return JSON.stringify(state, (key, value: unknown) => (key === "replay" ? undefined : value));
}

test("[W4] execution-tree: while something waits a node says so, and when nothing does none", () => {
  const daemon = TELLERS.find(({ name }) => name === "daemon");
  assert.ok(daemon);
  for (const { name, events } of recordings) {
    const emitted = emit(daemon, events);
    let session = emptySession(events[0]?.session_id ?? "");
    const stopping = new Set<string>();
    for (const event of events) {
      session = applySessionEvent(session, event as RunEvent);
      if (isStopping(event)) stopping.add(event.run_id);
      const frames = framesOf(emitted.filter((one) => one.event.session_seq <= event.session_seq));
      const { rootNodes, pendingPermissionsByToolUseId } = REDUCERS["execution-tree"].fold(frames);
      const shown = [
        ...rootNodes.flatMap(waitingIn),
        ...Object.values(pendingPermissionsByToolUseId).map(({ requestId }) => requestId),
      ];
      const waiting = Object.values(session.pending);
      const must = waiting.filter(({ runId }) => !stopping.has(runId));
      const where = `${name}, event ${event.session_seq} (${event.type}): ${shown.join()}`;
      assert.ok(must.length === 0 || shown.length > 0, where);
      const known = new Set(waiting.map(({ requestId }) => requestId));
      for (const id of shown) assert.ok(known.has(id), where);
    }
  }
});

function waitingIn({ awaitingInput, permissionRequestId, children }: ExecutionNode): string[] {
  const own = awaitingInput ? [permissionRequestId ?? ""] : [];
  return [...own, ...children.flatMap(waitingIn)];
}

const isStopping = ({ type, payload }: AnyEvent) =>
  type === "status" && (payload as { status?: string }).status === "cancelling";
