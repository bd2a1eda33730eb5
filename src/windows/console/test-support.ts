// The console's window on a real journal, without processes: fast, and a test plays the runner itself.
import { appDeps, TOKEN } from "../../../test/support/app-deps.ts";
import { sqliteStore } from "../../../test/support/journal/sqlite-store.ts";
import { createApp } from "../../cli/create-app.ts";
import type { AppDeps } from "../../kernel/server/app.ts";

export type Reply = {
  readonly http: number;
  readonly ok: boolean;
  readonly data: Record<string, unknown>;
  /** The whole body: real clients read its fields flat. */
  readonly body: Record<string, unknown>;
  readonly error: { readonly code: string; readonly message: string } & Record<string, unknown>;
};

/** In its `allowed_origins`. */
export const ELSEWHERE = "http://localhost:5173";

export async function openConsole(deps: Partial<AppDeps> = {}) {
  const store = sqliteStore();
  const journal = await store.connect();
  const { auth } = appDeps(journal);
  const origins = { auth: { ...auth, origins: new Set([ELSEWHERE]) } };
  const app = await createApp(appDeps(journal, { ...origins, ...deps, webRoot: store.home }));
  const headers = { host: "localhost:80", authorization: `Bearer ${TOKEN}` };
  const ask = async (
    method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE",
    path: string,
    body?: unknown,
    more: Record<string, string> = {},
  ): Promise<Reply> => {
    const type = body === undefined ? {} : { "content-type": "application/json" };
    const payload = typeof body === "string" ? body : JSON.stringify(body);
    const reply = await app.inject({
      method,
      url: `/api/gui${path}`,
      headers: { ...headers, ...type, ...more },
      ...(body !== undefined && { payload }),
    });
    const emitted = (reply.body === "" ? {} : reply.json()) as Record<string, unknown>;
    const { ok, data, error } = emitted as Pick<Reply, "ok" | "data" | "error">;
    return { http: reply.statusCode, body: emitted, ok, data, error };
  };
  return {
    app,
    journal,
    store,
    token: TOKEN,
    ask,
    get: (path: string, more?: Record<string, string>) => ask("GET", path, undefined, more),
    post: (path: string, body: unknown, more?: Record<string, string>) =>
      ask("POST", path, body, more),
    async [Symbol.asyncDispose]() {
      await app.close();
      await store[Symbol.asyncDispose]();
    },
  };
}

/** The fields beside `ok` and `data`: what the real client reads. */
export function flat({ body }: Reply): Record<string, unknown> {
  const { ok: _ok, data: _data, ...rest } = body;
  return rest;
}
