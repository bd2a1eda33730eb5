// The two event streams as AsyncAPI 3: one message per event type, and the heartbeat.
import { EVENT_SCHEMAS, schemasFor, type JsonSchema } from "./json-schema.ts";
import { VERSION } from "./version.ts";

const SCHEMAS = "#/components/schemas/";

type Message = { readonly key: string; readonly name: string; readonly schema: string };
const MESSAGES: readonly Message[] = [
  ...EVENT_SCHEMAS.map(({ type, name }) => ({ key: name, name: type, schema: name })),
  { key: "ExtensionEvent", name: "x.*", schema: "ExtensionEvent" },
  { key: "Heartbeat", name: "heartbeat", schema: "Heartbeat" },
];

const CHANNELS = {
  runEvents: {
    address: "/api/runs/{runId}/events",
    title: "Events of a run",
    description:
      "Server-sent events, `id: <run_id>:<seq>`. Ends after the event with `terminal: true`; asking again " +
      "at the head gives 204.",
    parameters: { runId: { description: "The run's id." } },
  },
  sessionEvents: {
    address: "/api/sessions/{sessionId}/events",
    title: "Events of a session, across its runs",
    description: "Server-sent events, `id: <session_seq>`. Never ends by itself.",
    parameters: { sessionId: { description: "The session's id." } },
  },
} as const;

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
    operations: Object.fromEntries(Object.keys(CHANNELS).map(operation)),
    components: {
      messages: Object.fromEntries(MESSAGES.map((message) => [message.key, describe(message)])),
      schemas: schemasFor(
        MESSAGES.map(({ schema }) => schema),
        SCHEMAS,
      ),
    },
  };
}

function channel([name, told]: [string, (typeof CHANNELS)[keyof typeof CHANNELS]]) {
  const messages = MESSAGES.map(({ key }) => [key, { $ref: `#/components/messages/${key}` }]);
  return [name, { ...told, messages: Object.fromEntries(messages) }] as const;
}

function operation(name: string) {
  const messages = MESSAGES.map(({ key }) => ({ $ref: `#/channels/${name}/messages/${key}` }));
  const told = { action: "send", channel: { $ref: `#/channels/${name}` } };
  return [name, { ...told, bindings: { http: { method: "GET" } }, messages }] as const;
}

function describe({ name, schema }: Message): JsonSchema {
  return { name, contentType: "application/json", payload: { $ref: `${SCHEMAS}${schema}` } };
}
