// Every JSON example of the terminal channel's document, in its order.

export const SEED = {
  connect: {
    type: "connect",
    peer_id: "device-001",
    device_name: "desk-terminal",
    capabilities: ["text"],
  },
  connected: {
    type: "connected",
    channel_id: "terminal-dev",
    session_id: "terminal-dev:local:device-001",
  },
  message: { type: "message", message_id: "m-001", text: "hello" },
  accepted: {
    type: "ack",
    message_id: "device-001-000001",
    session_id: "terminal-dev:local:device-001",
    accepted: true,
  },
  pending: {
    type: "ack",
    message_id: "device-001-000001",
    session_id: "terminal-dev:local:device-001",
    accepted: false,
    duplicate: true,
    pending: true,
  },
  completed: {
    type: "ack",
    message_id: "device-001-000001",
    session_id: "terminal-dev:local:device-001",
    accepted: false,
    duplicate: true,
    pending: false,
    reply: "cached assistant reply",
  },
  reply: {
    type: "message",
    role: "assistant",
    message_id: "device-001-000001",
    run_id: "run-id",
    text: "assistant reply",
    finish_reason: "stop",
  },
  ping: { type: "ping" },
  pong: { type: "pong" },
  error: { type: "error", error: "human readable error" },
} as const;

/** What its manual test pastes, and what it says comes back. */
export const BY_HAND = {
  connect:
    '{"type":"connect","peer_id":"device-001","device_name":"desk-terminal","capabilities":["text"]}',
  connected:
    '{"type":"connected","channel_id":"terminal-dev","session_id":"terminal-dev:local:device-001"}',
  message: '{"type":"message","message_id":"device-001-000001","text":"hello"}',
  accepted:
    '{"type":"ack","message_id":"device-001-000001","session_id":"terminal-dev:local:device-001","accepted":true}',
  reply:
    '{"type":"message","role":"assistant","message_id":"device-001-000001","run_id":"...","text":"...","finish_reason":"stop"}',
} as const;
