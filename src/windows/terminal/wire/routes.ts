// The terminal channel as docs/windows.md describes it.
import type { DialectRoute, WindowText } from "../../../kernel/dialect/window-doc.ts";

export const TERMINAL_ROUTES: readonly DialectRoute[] = [
  {
    method: "WS",
    path: "/api/channels/{channel_id}/ws",
    summary: "A text-only device: connect, message, ack, the final reply, ping and pong",
  },
];

export const TERMINAL_TEXT: WindowText = {
  title: "Terminal channel",
  shows:
    "A peer's session over a WebSocket: acknowledgements, what waits, and the final reply, each as a text. What it missed is sent when it connects again.",
  open: `qd terminal    # or, to see the frames:\nnpx wscat -c "$W/api/channels/terminal-dev/ws"    # then: {"type":"connect","peer_id":"me","token":"…"}`,
  degrades: [
    "Words only, and only when a person has to read them: what is asked, and how it ended. No deltas, no tools.",
    "What waits says which words answer it (`yes`, `session`, `always`, `no`; a choice; `check`, `retry`, `mark done`, `skip`); the next message is read as one.",
    "One thing at a time: of two that wait, the second is told when the first is settled. While something waits, a message that answers nothing is answered with the question again, and not run.",
    "A device needs the token: in the `Authorization` header, as `token` in `connect`, or, where only its address can be set, as the password in that (`ws://device:TOKEN@host/…`). With `--no-auth` (loopback only) it needs none.",
    "`finish_reason` is also `needs_input` (with a `request_id`) and `cancelled`. Ids may have any characters: a `peer_id` up to 1,024 bytes, a `message_id` up to 1,100.",
    "`quarterdeck terminal` in a pipe gives up when the server was away for 30 s (`--wait`), writes what went wrong to standard error and never as a reply, and logs ids with `--verbose`. An acknowledgement that takes more than 10 s is asked for again with the same id.",
  ],
};
