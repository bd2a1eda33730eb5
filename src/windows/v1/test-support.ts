// `/v1` on a real journal, without processes: fast, and a test plays the runner itself.
import assert from "node:assert/strict";
import type { FastifyInstance } from "fastify";
import { appDeps, INFO, TOKEN } from "../../../test/support/app-deps.ts";
import { sqliteStore, type SqliteStore } from "../../../test/support/journal/sqlite-store.ts";
import type { Journal } from "../../kernel/journal/journal.ts";
import { createApp } from "../../cli/create-app.ts";

export type Reply = {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
  readonly body: Record<string, unknown>;
  readonly error: { message: string; type: string; param: string | null; code: string };
};
export type Asking = {
  readonly method?: "GET" | "POST" | "PUT" | "DELETE";
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
};

const listed = { contextWindow: null, priced: true, found: "here" };
const models = async () => [
  { provider: "demo", id: "demo", ...listed },
  { provider: "local", id: "tiny", ...listed },
];

async function appOn(store: SqliteStore, journal: Journal) {
  const unexpected: unknown[] = [];
  const logError = (error: unknown) => void unexpected.push(error);
  const deps = appDeps(journal, { info: { ...INFO, models }, webRoot: store.home, logError });
  const { tails: following, open } = deps.streams;
  const app = await createApp(deps);
  const url = await app.listen({ host: "127.0.0.1", port: 0 });
  return { app, url, open, following, unexpected };
}

function asking(app: FastifyInstance) {
  return async (path: string, { method, body, headers }: Asking = {}): Promise<Reply> => {
    const reply = await app.inject({
      method: method ?? (body === undefined ? "GET" : "POST"),
      url: path,
      headers: {
        host: "localhost:80",
        authorization: `Bearer ${TOKEN}`,
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && {
        payload: typeof body === "string" ? body : JSON.stringify(body),
      }),
    });
    const json = reply.headers["content-type"]?.toString().includes("json");
    const emitted = (json && reply.body !== "" ? reply.json() : {}) as Reply["body"];
    const { error } = emitted as unknown as Pick<Reply, "error">;
    const { statusCode: status, headers: sent, body: text } = reply;
    return { status, headers: sent, text, body: emitted, error };
  };
}

export async function openV1() {
  const store = sqliteStore();
  const journal = await store.connect();
  const { app, url, open, following, unexpected } = await appOn(store, journal);
  const authorization = `Bearer ${TOKEN}`;
  return {
    journal,
    ask: asking(app),
    /** Over a socket: streams need one. */
    async post(path: string, body: unknown) {
      const headers = { authorization, "content-type": "application/json" };
      const request = { method: "POST", headers, body: JSON.stringify(body) };
      const reply = await fetch(`${url}${path}`, request);
      return { status: reply.status, text: await reply.text() };
    },
    /** A stream, to its end. */
    async read(path: string, headers: Record<string, string>): Promise<string> {
      const reply = await fetch(`${url}${path}`, { headers: { authorization, ...headers } });
      return reply.text();
    },
    streams: () => open.size,
    /** Logs that somebody follows, pollers too. */
    followed: () => following.size,
    routes: () => routesIn(app.printRoutes({ commonPrefix: false })),
    async [Symbol.asyncDispose]() {
      await app.close();
      await store[Symbol.asyncDispose]();
      assert.deepEqual(unexpected, [], "no error of ours");
    },
  };
}

/** The tree that Fastify prints, as "GET /v1/models" lines. */
function routesIn(tree: string): string[] {
  const above: string[] = [];
  return tree.split("\n").flatMap((line) => {
    const match = /^(?<indent>[│ ]*)[├└]── (?<part>\S+)(?: \((?<methods>[A-Z, ]+)\))?/.exec(line);
    const { indent = "", part = "", methods = "" } = match?.groups ?? {};
    above.length = indent.length / 4;
    above.push(part);
    const path = above.join("").replaceAll(/:(\w+)/g, "{$1}");
    return methods.split(", ").flatMap((method) => (method === "" ? [] : [`${method} ${path}`]));
  });
}
