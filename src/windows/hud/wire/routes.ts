// The HUD window as docs/windows.md describes it.
import type { DialectRoute, WindowText } from "../../../kernel/dialect/window-doc.ts";

export const HUD_ROUTES: readonly DialectRoute[] = [
  {
    method: "WS",
    path: "/api/hud/ws",
    summary: "The activity of the session ?session_id=: history with `replay: true`, then live",
  },
];

export const HUD_TEXT: WindowText = {
  title: "HUD",
  shows:
    "A session over a WebSocket: its history with `replay: true`, then live events. It accepts no commands; a client that reconnects gets the history again, with the same ids.",
  open: `npx wscat -H "authorization: Bearer $T" -c "$W/api/hud/ws?session_id=SESSION"`,
  degrades: [
    "No text of the agent: messages are previews, and an answer is only a turn that ends. Thoughts are emitted completely when they end.",
    "A pending request is `received` with our own subtype (`approval`, `clarify`, `unknown_outcome`), pending and then settled; `href` says where to answer.",
    "Plans and to-dos appear only as the calls that made them; a plan that is handed over is `received handover`.",
    "Texts are truncated at 16 KiB, with their size and a reference to the complete text: `full` in a result, `argsTruncated` and `argsFull` beside arguments.",
    "`id` is a UUID derived from the event's hash (version 8), so that an event has the same id in every replay; only `reconnect`, which is about one connection, has a random one.",
    "The `correlationId` of a tool is `call_<run>.<call>`, because providers reuse call ids. A turn is a run and begins with it. A subagent's turn has the call that started it as its `parentId`.",
    "`area` of a read is the range of lines that were read; `mentionedPaths` are words of a command that look like paths, whether they exist or not.",
    "`new_session` is emitted only in the new session; `kill` is a background command that was ended; `handover` is another runner that continues, or a plan that was handed back.",
  ],
};
