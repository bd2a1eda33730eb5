// The HTTP API as OpenAPI 3.1, made from the route table and the schemas.
import { HEADERS, PARAMETERS, QUERIES, type ApiRoute } from "../kernel/api/api-route.ts";
import { API_ROUTES } from "./routes.ts";
import { ERRORS, type ErrorCode } from "../kernel/events/errors.ts";
import { schemasFor, type JsonSchema } from "./json-schema.ts";
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
    (paths[route.path] ??= parametersIn(route.path))[route.method] = operation(route);
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
  const answers = API_ROUTES.flatMap(({ answer }) =>
    typeof answer === "object" ? answer.data : [],
  );
  const bodies = API_ROUTES.flatMap(({ body }) => body ?? []);
  return [...answers, ...bodies, "Outcome", "ErrorEnvelope", "Heartbeat"];
}

function parametersIn(path: string): JsonSchema {
  const parameters = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => ({
    name,
    in: "path",
    required: true,
    description: PARAMETERS[name],
    schema: { type: "string" },
  }));
  return parameters.length > 0 ? { parameters } : {};
}

function operation(route: ApiRoute): JsonSchema {
  const parameters = [
    ...(route.query ?? []).map((name) => parameter("query", name, QUERIES[name])),
    ...(route.headers ?? []).map((name) => parameter("header", name, HEADERS[name])),
  ];
  return {
    operationId: route.id,
    summary: route.summary,
    tags: [route.tag],
    ...(route.open && { security: [] }),
    ...(parameters.length > 0 && { parameters }),
    ...(route.upload && { requestBody: { required: true, content: BINARY } }),
    ...(route.body && { requestBody: { required: true, content: json(ref(route.body)) } }),
    responses: { ...successes(route), ...failures(route) },
  };
}

function parameter(where: "query" | "header", name: string, description: string): JsonSchema {
  return { name, in: where, description, schema: { type: "string" } };
}

function successes({ answer }: ApiRoute): JsonSchema {
  if (typeof answer === "object") {
    return { 200: { description: "The answer.", content: json(ok(ref(answer.data))) } };
  }
  if (answer === "outcome") {
    const content = json(ok(ref("Outcome")));
    return {
      200: { description: "Not accepted now; `status` says why (or a duplicate).", content },
      202: { description: "Accepted. What it changes comes as events.", content },
    };
  }
  if (answer === "blob") {
    const content = BINARY;
    return {
      200: { description: "All of it.", content },
      206: { description: "The range.", content },
    };
  }
  if (answer === "lines") return { 200: { description: LINES, content: NDJSON } };
  if (answer === "metrics") return { 200: { description: METRICS, content: TEXT } };
  return stream(answer);
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
