// The event streams, the feed and the windows as AsyncAPI 3: one message per event type, the heartbeat, the other frames
// of the feed, and the windows' envelopes.
import { FeedFrame } from "../kernel/api/records/feed.ts";
import { EVENT_SCHEMAS, schemasFor, type JsonSchema } from "./json-schema.ts";
import { DAEMON_CHANNEL } from "../windows/daemon/wire/channel.ts";
import type { Channel, Message } from "../kernel/api/channel.ts";
import { VERSION } from "../kernel/events/version.ts";

const SCHEMAS = "#/components/schemas/";

const MESSAGES: readonly Message[] = [
  ...EVENT_SCHEMAS.map(({ type, name }) => ({ key: name, name: type, schema: name })),
  { key: "ExtensionEvent", name: "x.*", schema: "ExtensionEvent" },
  { key: "Heartbeat", name: "heartbeat", schema: "Heartbeat" },
];

/** Frames that only the feed has, including its own heartbeat. */
const FEED_MESSAGES: readonly Message[] = FeedFrame.options.map(({ shape }) => {
  const kind = shape.feed.value;
  const key = `Feed${kind.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())}`;
  return { key, name: `feed ${kind}`, schema: key };
});
/** Envelopes of windows that have their own document here. */
export const WINDOW_CHANNELS: Readonly<Record<string, Channel>> = { daemon: DAEMON_CHANNEL };
const WINDOW_MESSAGES = Object.values(WINDOW_CHANNELS).flatMap(({ messages }) => messages);
const ALL = [...MESSAGES, ...FEED_MESSAGES, ...WINDOW_MESSAGES];
const EVENTS = MESSAGES.filter(({ key }) => key !== "Heartbeat");

const CHANNELS: Readonly<Record<string, Channel>> = {
  runEvents: {
    address: "/api/runs/{runId}/events",
    title: "Events of a run",
    description:
      "Server-sent events, `id: <run_id>:<seq>`. Ends after the event with `terminal: true`; asking again " +
      "at the head gives 204.",
    parameters: { runId: { description: "The run's id." } },
    messages: MESSAGES,
  },
  sessionEvents: {
    address: "/api/sessions/{sessionId}/events",
    title: "Events of a session, across its runs",
    description: "Server-sent events, `id: <session_seq>`. Never ends by itself.",
    parameters: { sessionId: { description: "The session's id." } },
    messages: MESSAGES,
  },
  feed: {
    address: "/api/feed",
    title: "Any number of sessions, and the list of all of them, on one WebSocket",
    description:
      "Each message has one or more lines, each line one of these. The client sends `FeedRequest`s; `?board=1` " +
      "asks for `FeedBoard` too.",
    parameters: {},
    messages: [...EVENTS, ...FEED_MESSAGES],
  },
  ...WINDOW_CHANNELS,
};

export function asyncApi(): JsonSchema {
  return {
    asyncapi: "3.0.0",
    info: {
      title: "Quarterdeck events",
      version: VERSION,
      description:
        "Stored events are sent as they are stored, each once and in order. Unknown types and fields pass " +
        "through every reader and advance its cursor.",
      license: { name: "MIT" },
    },
    defaultContentType: "application/json",
    servers: { local: { host: "127.0.0.1:8730", protocol: "http" } },
    channels: Object.fromEntries(Object.entries(CHANNELS).map(channel)),
    operations: Object.fromEntries(Object.entries(CHANNELS).map(operation)),
    components: {
      messages: Object.fromEntries(ALL.map((message) => [message.key, describe(message)])),
      schemas: schemasFor([...ALL.map(({ schema }) => schema), "FeedRequest"], SCHEMAS),
    },
  };
}

function channel([name, { messages: said, ...rest }]: [string, Channel]) {
  const messages = said.map(({ key }) => [key, { $ref: `#/components/messages/${key}` }]);
  return [name, { ...rest, messages: Object.fromEntries(messages) }] as const;
}

function operation([name, { messages: said }]: [string, Channel]) {
  const messages = said.map(({ key }) => ({ $ref: `#/channels/${name}/messages/${key}` }));
  const rest = { action: "send", channel: { $ref: `#/channels/${name}` } };
  return [name, { ...rest, bindings: { http: { method: "GET" } }, messages }] as const;
}

function describe({ name, schema }: Message): JsonSchema {
  return { name, contentType: "application/json", payload: { $ref: `${SCHEMAS}${schema}` } };
}
