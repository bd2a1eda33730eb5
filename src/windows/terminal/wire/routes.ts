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
    "A peer's session over a WebSocket: acknowledgements, pending requests and the final reply, each as a text. Missed texts are sent when it reconnects.",
  open: `qd terminal    # or, to see the frames:\nnpx wscat -c "$W/api/channels/terminal-dev/ws"    # then: {"type":"connect","peer_id":"me","token":"…"}`,
  degrades: [
    "Only text that a person has to read: requests and the end of a run. No deltas, no tools.",
    "A request lists the words that answer it (`yes`, `session`, `always`, `no`; a choice; `check`, `retry`, `mark done`, `skip`); the next message is read as one.",
    "One request at a time: of two pending requests, the second is sent when the first is settled. While a request is pending, a message that does not answer it gets the question again and is not run.",
    "A device needs the token: in the `Authorization` header, as `token` in `connect`, or, if only its address can be set, as the password in that (`ws://device:TOKEN@host/…`). With `--no-auth` (loopback only) it needs none.",
    "`finish_reason` is also `needs_input` (with a `request_id`) and `cancelled`. Ids may have any characters: a `peer_id` up to 1,024 bytes, a `message_id` up to 1,100.",
    "`quarterdeck terminal` in a pipe gives up when the server was away for 30 s (`--wait`), writes what went wrong to standard error and never as a reply, and logs ids with `--verbose`. If an acknowledgement takes more than 10 s, the message is sent again with the same id.",
  ],
};
