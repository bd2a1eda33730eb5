// The HTTP API as OpenAPI 3.1, derived from the contracts of the endpoints.
import type { z } from "zod";
import { HEADERS } from "../kernel/api/endpoint.ts";
import { API_ROUTES, type ApiRoute } from "./routes.ts";
import { ERRORS, type ErrorCode } from "../kernel/events/errors.ts";
import { inlineSchema, nameOf, schemasFor, type JsonSchema } from "./json-schema.ts";
import { CSRF_HEADER } from "../kernel/events/login-proof.ts";
import { VERSION } from "../kernel/events/version.ts";

const SCHEMAS = "#/components/schemas/";
const ref = (name: string): JsonSchema => ({ $ref: `${SCHEMAS}${name}` });
const json = (schema: JsonSchema) => ({ "application/json": { schema } });
const BINARY = { "application/octet-stream": { schema: { type: "string", format: "binary" } } };
const ok = (data: JsonSchema): JsonSchema => ({
  type: "object",
  properties: { ok: { const: true }, data },
  required: ["ok", "data"],
});

export function openApi(): JsonSchema {
  const paths: Record<string, JsonSchema> = {};
  for (const route of API_ROUTES) {
    (paths[route.path] ??= parametersIn(route))[route.method] = operation(route);
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Quarterdeck",
      version: VERSION,
      summary: "Run AI agents as append-only journals.",
      description:
        "Success is `{ok:true,data}`, failure `{ok:false,error:{code,message,details}}`. A command answers " +
        "with an outcome, never with run state: what it changed comes as events (see asyncapi.json).",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "http://127.0.0.1:8730" }],
    security: [{ bearer: [] }, { cookie: [], csrf: [] }],
    paths,
    components: {
      schemas: schemasFor(schemasUsed(), SCHEMAS),
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer", description: "`quarterdeck token` prints it." },
        cookie: { type: "apiKey", in: "cookie", name: "qd_session" },
        csrf: {
          type: "apiKey",
          in: "header",
          name: CSRF_HEADER,
          description: "With the cookie, for everything: from the answer to the login.",
        },
      },
    },
  };
}

function schemasUsed(): string[] {
  const used = API_ROUTES.flatMap(({ response, body }) => [response, body]).flatMap((schema) =>
    typeof schema === "object" ? (nameOf(schema) ?? []) : [],
  );
  return [...used, "Outcome", "ErrorEnvelope", "Heartbeat"];
}

function described(schema: z.ZodType): JsonSchema {
  const name = nameOf(schema);
  return name === undefined ? inlineSchema(schema) : ref(name);
}

function parametersIn({ params = {} }: ApiRoute): JsonSchema {
  const parameters = Object.entries(params).map(([name, { description }]) => ({
    name,
    in: "path",
    required: true,
    description,
    schema: { type: "string" },
  }));
  return parameters.length > 0 ? { parameters } : {};
}

/** A query's fields, each with its own type. */
function inQuery(query: z.ZodType): JsonSchema[] {
  const { properties = {}, required = [] } = inlineSchema(query) as {
    properties?: Readonly<Record<string, JsonSchema>>;
    required?: readonly string[];
  };
  return Object.entries(properties).map(([name, { description, ...schema }]) => {
    if (schema["type"] === "integer") delete schema["pattern"]; // it says how the text is checked
    const must = required.includes(name) && { required: true };
    return { name, in: "query", ...must, description, schema };
  });
}

function operation(route: ApiRoute): JsonSchema {
  const parameters = [
    ...(route.query ? inQuery(route.query) : []),
    ...(route.headers ?? []).map((name) => inHeader(name)),
  ];
  return {
    operationId: route.id,
    summary: route.summary,
    tags: [route.tag],
    ...(route.open && { security: [] }),
    ...(parameters.length > 0 && { parameters }),
    ...(route.raw === "file" && { requestBody: { required: true, content: BINARY } }),
    ...(route.body && { requestBody: { required: true, content: json(described(route.body)) } }),
    responses: { ...successes(route), ...failures(route) },
  };
}

function inHeader(name: keyof typeof HEADERS): JsonSchema {
  return { name, in: "header", description: HEADERS[name], schema: { type: "string" } };
}

function successes({ response }: ApiRoute): JsonSchema {
  if (typeof response === "object") {
    return { 200: { description: "The answer.", content: json(ok(described(response))) } };
  }
  if (response === "outcome") {
    const content = json(ok(ref("Outcome")));
    return {
      200: { description: "Not accepted now; `status` says why (or a duplicate).", content },
      202: { description: "Accepted. What it changes comes as events.", content },
    };
  }
  if (response === "blob") {
    const content = BINARY;
    return {
      200: { description: "All of it.", content },
      206: { description: "The range.", content },
    };
  }
  if (response === "lines") return { 200: { description: LINES, content: NDJSON } };
  if (response === "metrics") return { 200: { description: METRICS, content: TEXT } };
  return stream(response);
}

const METRICS = "In the text format of Prometheus.";
const TEXT = { "text/plain": { schema: { type: "string" } } };

const LINES =
  "One JSON value a line, as a message of `/api/feed` has them: a heartbeat with the epoch, the stored events, " +
  "and `caught_up` when all were told.";
const NDJSON = {
  "application/x-ndjson": {
    schema: { type: "string" },
    "x-item-schema": { $ref: "protocol.schema.json#/$defs/RunEvent" },
  },
};

function stream(answer: "run stream" | "session stream"): JsonSchema {
  const id = answer === "run stream" ? "<run_id>:<seq>" : "<session_seq>";
  const description =
    `Server-sent events. Each has \`id: ${id}\` and the stored event as \`data:\`; ` +
    "`event: heartbeat` frames come in between and have no id.";
  const content = {
    "text/event-stream": {
      schema: { type: "string" },
      "x-item-schema": { $ref: "protocol.schema.json#/$defs/RunEvent" }, // asyncapi.json has the rest
      "x-heartbeat-schema": ref("Heartbeat"),
    },
  };
  const ended = { 204: { description: "The run has ended and everything was seen." } };
  return { 200: { description, content }, ...(answer === "run stream" && ended) };
}

const EVERYWHERE: readonly ErrorCode[] = ["bad_host", "bad_origin", "internal", "unavailable"];
const WITH_TOKEN: readonly ErrorCode[] = ["unauthorized", "forbidden", "rate_limited"];
const WITH_BODY: readonly ErrorCode[] = [
  "invalid_json",
  "invalid_request",
  "too_deep",
  "too_large",
  "unsupported_media_type",
  "rate_limited",
  "storage_full",
];

function failures(route: ApiRoute): JsonSchema {
  const inPath = route.path.includes("{") ? (["invalid_request"] as const) : [];
  const codes = new Set<ErrorCode>([
    ...EVERYWHERE,
    ...(route.open ? [] : WITH_TOKEN),
    ...(route.body ? WITH_BODY : []),
    ...inPath,
    ...(route.errors ?? []),
  ]);
  const byStatus = Map.groupBy([...codes].toSorted(), (code) => ERRORS[code].status);
  return Object.fromEntries(
    [...byStatus].map(([status, group]) => [
      status,
      {
        description: group.map((code) => `\`${code}\``).join(", "),
        content: json(ref("ErrorEnvelope")),
      },
    ]),
  );
}
