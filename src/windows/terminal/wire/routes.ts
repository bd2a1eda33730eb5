// The terminal channel has one door.
import type { DialectRoute } from "../../../kernel/dialect/dialect.ts";

export const TERMINAL_ROUTES: readonly DialectRoute[] = [
  {
    method: "WS",
    path: "/api/channels/{channel_id}/ws",
    summary: "A text-only device: connect, message, ack, the final reply, ping and pong",
  },
];
