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
    "A session over a WebSocket: its past with `replay: true`, then what happens. It takes no commands; whoever comes back gets the past again, with the same ids.",
  open: `npx wscat -H "authorization: Bearer $T" -c "$W/api/hud/ws?session_id=SESSION"`,
  degrades: [
    "No words of the agent: messages are previews, its answer is a turn that ends. Thoughts are told whole, when they end.",
    "What waits for a person is `received` with a subtype of our own (`approval`, `clarify`, `unknown_outcome`), pending and then settled; `href` says where to answer.",
    "Plans and to-dos are only the calls that made them; a plan that is handed over is `received handover`.",
    "Texts are cut at 16 KiB, with their size and a reference to the whole: `full` in a result, `argsTruncated` and `argsFull` beside arguments.",
    "`id` is a UUID made of the event's hash (version 8), so that an event has the same id in every replay; only `reconnect`, which is about one connection, has a random one.",
    "The `correlationId` of a tool is `call_<run>.<call>`: providers use their call ids again. A turn is a run and begins when the run begins. A subagent's turn has the call that started it as its `parentId`.",
    "`area` of a read is the lines that were read, from the first to the last of them; `mentionedPaths` are words of a command that look like paths, whether they exist or not.",
    "`new_session` is told in the new session only; `kill` is a background command that was ended, `handover` another runner that goes on or a plan that was given back.",
  ],
};
