// Routes from contracts: each endpoint of an area has its handler, which gets what was checked and answers what the
// contract says. A missing handler does not compile.
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from "fastify";
import type { z } from "zod";
import type { Endpoint, Endpoints, RawResponse, ResponseOf } from "../api/endpoint.ts";
import type { Outcome } from "../events/commands.ts";
import { parse } from "../events/errors.ts";
import { data, sendOutcome } from "./routes/replies.ts";

type Checked<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;
type Field<One, Name extends string> =
  One extends Readonly<Record<Name, infer Value>> ? Value : undefined;

export type Asked<One extends Endpoint> = {
  readonly params: { readonly [Name in keyof Field<One, "params">]: string };
  readonly query: Checked<Field<One, "query">>;
  readonly body: Field<One, "raw"> extends string ? unknown : Checked<Field<One, "body">>;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
};

/** Nothing is changed on its way out. */
type Sent<Data> = Data extends readonly (infer Item)[]
  ? readonly Sent<Item>[]
  : Data extends object
    ? { readonly [Name in keyof Data]: Sent<Data[Name]> }
    : Data;
type Answer<One extends Endpoint> = One["response"] extends RawResponse
  ? FastifyReply | string | void
  : Sent<ResponseOf<One>>;
type Handler<One extends Endpoint> = (asked: Asked<One>) => Answer<One> | Promise<Answer<One>>;
export type Handlers<Api extends Endpoints> = { readonly [Id in keyof Api]: Handler<Api[Id]> };

export function mount<Api extends Endpoints>(
  api: Api,
  handlers: Handlers<Api>,
): FastifyPluginAsync {
  return async (app) => {
    for (const [id, endpoint] of Object.entries<Endpoint>(api)) {
      // The types say that each handler fits its own endpoint; here they are all the same.
      const handle = (handlers as Readonly<Record<string, unknown>>)[id] as (
        asked: Asked<Endpoint>,
      ) => Promise<unknown>;
      const { method, path, bodyLimit, response } = endpoint;
      app.route({
        method,
        url: path.slice(app.prefix.length).replaceAll(/\{(\w+)\}/g, ":$1") || "/",
        ...(bodyLimit !== undefined && { bodyLimit }),
        handler: async (request, reply) => {
          const answer = await handle(check(endpoint, request, reply));
          if (response === "outcome") return sendOutcome(reply, answer as Outcome);
          return typeof response === "string" ? answer : data(answer);
        },
      });
    }
  };
}

function check(endpoint: Endpoint, request: FastifyRequest, reply: FastifyReply): Asked<Endpoint> {
  const { params = {}, query, body, raw } = endpoint;
  const given = request.params as Readonly<Record<string, string>>;
  const checked = Object.entries(params).map(([name, schema]) => [
    name,
    parse(schema, given[name]),
  ]);
  return {
    params: Object.fromEntries(checked) as Asked<Endpoint>["params"],
    query: query && parse(query, request.query),
    body: raw || !body ? request.body : parse(body, request.body ?? {}),
    request,
    reply,
  } as Asked<Endpoint>;
}

/** For routes whose body is a file: JSON is none, and its bytes are read as they arrive. */
export function takeFiles(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/octet-stream", (_request, payload, done) =>
    done(null, payload),
  );
}
