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
    "Every session over one WebSocket, in the flat envelope; `eventId` is the session's own number and never goes back. `snapshot.request` returns a session's history, also after a `lastEventId`.",
  open: `npx wscat -H "authorization: Bearer $T" -c "$W/api/daemon/ws"    # then: {"method":"sessions.list"}`,
  degrades: [
    "A question, an unknown outcome and a used-up budget are permission requests: the text says what Approve and Deny mean. Any other answer needs `clarify.response`, or another window.",
    "The end of a request is `permission.response {requestId, approved, via}`, whichever window answered it; a request that expired was not approved. A client's answer needs only the `requestId`.",
    "Of several calls in one answer the first is emitted when it is planned, the others when they start or ask, so that only concurrent calls look parallel. A call that was refused before it started is emitted only as `stream.tool_completed`.",
    "`parentStepId` on text, thinking and calls names the running step as its `stepId` does, `toolUseId` on a request the call that asks; these are facts and do not form a tree.",
    "A subagent's request is attached to the call that started it; of its own work only its start, its end and its tokens are emitted.",
    "Calls of the `plan` tool are not emitted, only their effect on the plan, because the client would count them twice.",
    "An interrupted step is `stream.error`; its text stays, and the step's text is emitted again.",
    "Types of newer builds are passed on as `quarterdeck.…`, those that were made for this protocol (`x.stream.…`) under their own method.",
  ],
};
