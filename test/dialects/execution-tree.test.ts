// The tree that a client of the daemon window draws is never without the thing that waits for a person.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { RunEvent } from "../../src/kernel/events/events.ts";
import { applySessionEvent, emptySession } from "../../src/kernel/state/session/session-state.ts";
import type { ExecutionNode } from "../clients/execution-tree/execution-tree.ts";
import { readRecordings, type AnyEvent } from "../support/recordings/session-recordings.ts";
import { REDUCERS, emit, TELLERS } from "../support/recordings/emitted.ts";

test("[W4] execution-tree: while something waits a node says so, and when nothing does none", () => {
  const daemon = TELLERS.find(({ name }) => name === "daemon");
  assert.ok(daemon);
  for (const { name, events } of readRecordings()) {
    const emitted = emit(daemon, events);
    let session = emptySession(events[0]?.session_id ?? "");
    const stopping = new Set<string>();
    for (const event of events) {
      session = applySessionEvent(session, event as RunEvent);
      if (isStopping(event)) stopping.add(event.run_id);
      const frames = emitted.flatMap((one) =>
        one.event.session_seq <= event.session_seq ? [one.frame] : [],
      );
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
