// The daemon window as docs/windows.md describes it.
import type { DialectRoute, WindowText } from "../../../kernel/dialect/window-doc.ts";

export const DAEMON_ROUTES: readonly DialectRoute[] = [
  {
    method: "WS",
    path: "/api/daemon/ws",
    summary:
      "Every session's events as they happen; sessions.list, snapshot.request, scheduler.cron.status, permission.response, clarify.response",
  },
  { method: "WS", path: "/ws", summary: "The same, where the daemon's dashboard looks for it" },
];

export const DAEMON_TEXT: WindowText = {
  title: "Daemon",
  shows:
    "Every session over one WebSocket, in the flat envelope; `eventId` is the session's own number and never goes back. `snapshot.request` gives a session's past, also after a `lastEventId`.",
  open: `npx wscat -H "authorization: Bearer $T" -c "$W/api/daemon/ws"    # then: {"method":"sessions.list"}`,
  degrades: [
    "A question, an unknown outcome and a used-up budget are permission requests: the text says what Approve and Deny answer. Any other answer is given with `clarify.response`, or in another window.",
    "How a request ended is `permission.response {requestId, approved, via}`, whoever answered it and wherever; one that nobody answered in time was not approved. An answer of a client needs the `requestId` only.",
    "Of several calls in one answer the first is told when it is planned, the others when they start or ask, so that only calls that run at the same time look parallel. A call that was refused before it could start is told by its `stream.tool_completed` alone.",
    "`parentStepId` on text, thinking and calls names the running step as its `stepId` does, `toolUseId` on a request the call that asks: facts about what happened, and no tree.",
    "What a subagent asks for stands at the call that started it; of its inner work only its start, its end and its tokens are told.",
    "Calls of the `plan` tool are not told, only what they make of the plan: the client would count them twice.",
    "A cut step is `stream.error`; what it said stays, and the step's words come again.",
    "Types of newer builds pass as `quarterdeck.…`, those that were made for this protocol (`x.stream.…`) under their own method.",
  ],
};
