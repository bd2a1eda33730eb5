// The published documents are the committed ones, and are valid by their own rules.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { asyncApi, WINDOW_CHANNELS } from "./asyncapi.ts";
import { EVENT_TYPES } from "../kernel/events/events.ts";
import { EVENT_SCHEMAS, protocolJsonSchema, type JsonSchema } from "./json-schema.ts";
import { openApi } from "./openapi.ts";

type Node = { [key: string]: Node };
const DOCUMENTS = {
  "protocol.schema.json": protocolJsonSchema(),
  "openapi.json": openApi(),
  "asyncapi.json": asyncApi(),
} as Record<string, JsonSchema>;

// If this fails you changed the wire format. Additive: run `npm run schema` and commit the diff.
// Anything else: bump PROTOCOL_VERSION first; old clients are still out there.
for (const [file, made] of Object.entries(DOCUMENTS)) {
  test(`[E1, H1] the published ${file} is the one in the repository`, () => {
    const committed = readFileSync(new URL(file, import.meta.url), "utf8");
    assert.deepEqual(JSON.parse(JSON.stringify(made)), JSON.parse(committed));
  });

  test(`[E1] every reference in ${file} leads somewhere`, () => {
    const refs = [...refsIn(made)];
    assert.ok(refs.length > 20);
    for (const ref of refs) assert.ok(lookUp(made, ref), `${ref} leads nowhere`);
  });
}

test("[E1] every event type has a schema of its own, and no two share a name", () => {
  const { $defs } = protocolJsonSchema() as { $defs: Node };
  assert.deepEqual(
    EVENT_SCHEMAS.map(({ type }) => type),
    EVENT_TYPES,
  );
  assert.equal(new Set(EVENT_SCHEMAS.map(({ name }) => name)).size, EVENT_TYPES.length);
  for (const { type, name } of EVENT_SCHEMAS) {
    const schema = $defs[name];
    assert.equal(schema?.["properties"]?.["type"]?.["const"], type);
    assert.deepEqual(
      Object.values(schema?.["required"] ?? {})
        .map(String)
        .toSorted(),
      Object.keys(schema?.["properties"] ?? {}).toSorted(),
    );
  }
});

test("[E8] events are open to new fields, commands are not", () => {
  const { $defs } = protocolJsonSchema() as { $defs: Node };
  for (const { name } of EVENT_SCHEMAS) {
    assert.equal($defs[name]?.["additionalProperties"], undefined);
    assert.equal($defs[name]?.["properties"]?.["payload"]?.["additionalProperties"], undefined);
  }
  for (const name of ["StartRun", "CancelRun", "RespondApproval", "RespondClarify", "UpdateGoal"]) {
    assert.equal($defs[name]?.["additionalProperties"] as unknown, false);
  }
});

test("[H2, H3] the streams in asyncapi.json can carry every event type and the heartbeat", () => {
  const document = asyncApi() as Node;
  const all = Object.values(document["components"]?.["messages"] ?? {}).map(({ name }) => name);
  const [names, beyond] = [all.slice(0, EVENT_TYPES.length + 2), all.slice(EVENT_TYPES.length + 2)];
  const ofWindows = Object.values(WINDOW_CHANNELS).flatMap(({ messages }) => messages);
  const feed = beyond.slice(0, beyond.length - ofWindows.length);
  assert.deepEqual(
    beyond.slice(feed.length),
    ofWindows.map(({ name }) => name),
  );
  assert.deepEqual(names, [...EVENT_TYPES, "x.*", "heartbeat"]);
  const kinds = ["heartbeat", "watching", "fold", "caught_up", "state", "refused", "board"];
  assert.deepEqual(
    feed,
    kinds.map((kind) => `feed ${kind}`),
  );
  assert.equal(document["asyncapi"] as unknown, "3.0.0");
  for (const [name, channel] of Object.entries(document["channels"] ?? {})) {
    const parameters = [...JSON.stringify(channel["address"]).matchAll(/\{(\w+)\}/g)].map(
      ([, id]) => id,
    );
    assert.deepEqual(Object.keys(channel["parameters"] ?? {}), parameters);
    const beside: number = name === "feed" ? feed.length - 1 : 0; // its own heartbeat instead of the streams'
    const count: number = WINDOW_CHANNELS[name]?.messages.length ?? names.length + beside;
    assert.equal(Object.keys(channel["messages"] ?? {}).length, count);
    assert.equal(document["operations"]?.[name]?.["action"] as unknown, "send");
    assert.equal(
      document["operations"]?.[name]?.["channel"]?.["$ref"] as unknown,
      `#/channels/${name}`,
    );
  }
});

function* refsIn(node: unknown): Generator<string> {
  if (typeof node !== "object" || node === null) return;
  for (const [key, value] of Object.entries(node)) {
    if (key === "$ref") yield value as string;
    else yield* refsIn(value);
  }
}

/** Within the document, or in one beside it. */
function lookUp(document: JsonSchema, ref: string): unknown {
  const [file = "", pointer = ""] = ref.split("#");
  const root = file === "" ? document : DOCUMENTS[file];
  const steps = pointer.split("/").slice(1);
  return steps.reduce<Node | undefined>((node, step) => node?.[step], root as Node | undefined);
}
