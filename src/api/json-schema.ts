// The wire format for clients in other languages, derived from the Zod schemas. Kept out of
// events.ts so that browsers do not pay for it.
import { z } from "zod";
import * as browser from "../features/browser/records.ts";
import * as logs from "../features/logs/records.ts";
import * as insights from "../features/insights/records.ts";
import * as push from "../features/push/records.ts";
import * as terminals from "../features/terminals/records.ts";
import * as settings from "../kernel/api/records/settings.ts";
import * as cron from "../features/schedules/records.ts";
import * as gateway from "../features/messengers/records.ts";
import * as house from "../kernel/api/records/system-log.ts";
import * as media from "../features/voice/records.ts";
import * as memory from "../features/memory/records.ts";
import * as skills from "../features/skills/records.ts";
import * as feed from "../kernel/api/records/feed.ts";
import * as records from "../kernel/api/records/records.ts";
import * as commands from "../kernel/events/commands.ts";
import { CreateCronJob, RunCronJob, UpdateCronJob } from "../features/schedules/commands.ts";
import { DaemonEnvelope, DaemonEvent } from "../windows/daemon/wire/schema.ts";
import { ErrorEnvelope } from "../kernel/events/errors.ts";
import { envelope } from "../kernel/events/event.ts";
import { RunEvent } from "../kernel/events/events.ts";
import { CRON_EVENTS } from "../features/schedules/events.ts";
import { GATEWAY_EVENTS } from "../features/messengers/events.ts";
import { SYSTEM_EVENTS, LATER_SYSTEM_EVENTS } from "../kernel/events/system-events.ts";
import { PROTOCOL_VERSION } from "../kernel/events/version.ts";

export type JsonSchema = { [key: string]: unknown };

const SystemEvent = z.discriminatedUnion("type", [
  ...SYSTEM_EVENTS,
  ...CRON_EVENTS,
  ...GATEWAY_EVENTS,
  ...LATER_SYSTEM_EVENTS,
]);

const ExtensionEvent = z.object({
  ...envelope,
  type: z.string().regex(/^x\./),
  payload: z.record(z.string(), z.json()),
});

/** "tool.outcome_unknown" -> "ToolOutcomeUnknownEvent" */
export function eventSchemaName(type: string): string {
  const words = type.split(/[._]/).map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return `${words.join("")}Event`;
}

export const EVENT_SCHEMAS: readonly { readonly type: string; readonly name: string }[] =
  RunEvent.options.map(({ shape }) => ({
    type: shape.type.value,
    name: eventSchemaName(shape.type.value),
  }));

/** The schemas of these names and of everything that they refer to, with references below `at`. */
export function schemasFor(names: readonly string[], at: string): Record<string, JsonSchema> {
  const all = namedSchemas(at);
  const wanted = new Set(names);
  for (const name of wanted) for (const next of namesIn(all[name], at)) wanted.add(next);
  return Object.fromEntries(Object.entries(all).filter(([name]) => wanted.has(name)));
}

function namesIn(node: unknown, at: string): string[] {
  if (typeof node !== "object" || node === null) return [];
  return Object.entries(node).flatMap(([key, value]) =>
    key === "$ref" && typeof value === "string" ? [value.slice(at.length)] : namesIn(value, at),
  );
}

const NAMED = Object.entries<unknown>({
  ...commands,
  ...records,
  ...insights,
  ...push,
  ...terminals,
  ...feed,
  ...house,
  ...settings,
  ...logs,
  ...browser,
  ...cron,
  CreateCronJob,
  UpdateCronJob,
  RunCronJob,
  ...gateway,
  ...media,
  ...memory,
  ...skills,
  RunEvent,
  HouseEvent: SystemEvent,
  ExtensionEvent,
  ErrorEnvelope,
  DaemonEvent,
  DaemonEnvelope,
}).filter((entry): entry is [string, z.ZodType] => entry[1] instanceof z.ZodType);
const NAMES = new Map(NAMED.map(([name, schema]) => [schema, name]));

/** The name of a contract's schema; undefined if it has none and is described inline. */
export const nameOf = (schema: z.ZodType): string | undefined => NAMES.get(schema);

/** One inline schema. `input`: as a client sends it. */
export function inlineSchema(schema: z.ZodType): JsonSchema {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, {
    io: "input",
    unrepresentable: "any",
  });
  return rest;
}

/** Every named schema. `at` is their place in the document, for example "#/components/schemas/". */
export function namedSchemas(at: string): Record<string, JsonSchema> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of NAMED) registry.add(schema, { id });
  for (const event of RunEvent.options) {
    registry.add(event, { id: eventSchemaName(event.shape.type.value) });
  }
  // io: "input" leaves objects open, so a field added tomorrow is not an error today.
  const { schemas } = z.toJSONSchema(registry, { io: "input", uri: (id) => `${at}${id}` });
  const clean = Object.entries(schemas).flatMap(([name, schema]): [string, JsonSchema][] =>
    name === "__shared" ? [] : [[name, tidy(schema, at) as JsonSchema]],
  );
  return { Json: { description: "Any JSON value." }, ...Object.fromEntries(clean) };
}

export function protocolJsonSchema(): JsonSchema {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: `Quarterdeck protocol ${PROTOCOL_VERSION}`,
    $ref: "#/$defs/RunEvent",
    $defs: namedSchemas("#/$defs/"),
  };
}

// Zod adds a `$schema` to every schema and expands the definition of JSON; one document needs neither.
function tidy(node: unknown, at: string): unknown {
  if (Array.isArray(node)) return node.map((child) => tidy(child, at));
  if (typeof node !== "object" || node === null) return node;
  const { $schema: _dialect, $id: _id, ...rest } = node as JsonSchema;
  const ref = rest["$ref"];
  if (typeof ref === "string" && ref.includes("__shared")) return { $ref: `${at}Json` };
  return Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, tidy(value, at)]));
}
