// The daemon window as asyncapi.json describes it.
import type { Channel } from "../../../kernel/api/channel.ts";

export const DAEMON_CHANNEL: Channel = {
  address: "/api/daemon/ws",
  title: "Every session on one WebSocket, as flat notifications",
  description:
    "One envelope per message, also at `/ws`; `event` is one of `DaemonEvent`, or an extension's. Answers to what a " +
    "client asks (`snapshot.response`, `sessions.list.result`) are no envelopes.",
  parameters: {},
  messages: [{ key: "DaemonEnvelope", name: "daemon", schema: "DaemonEnvelope" }],
};
