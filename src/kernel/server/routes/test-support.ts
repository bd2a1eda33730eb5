// For tests only: the HTTP surface on a real journal and a real home, without processes.
import { appDeps, TOKEN } from "../../../../test/support/app-deps.ts";
import { sqliteStore } from "../../../../test/support/journal/sqlite-store.ts";
import { openProfiles } from "../../home/profiles.ts";
import { temporaryHome } from "../../home/test-support.ts";
import { SYSTEM_LOG, type SystemEvent } from "../../events/system-events.ts";
import { createApp } from "../../../cli/create-app.ts";
import type { AppDeps } from "../app.ts";
import type { HomeAccess } from "../home-access.ts";

export type Reply<Data> = {
  readonly status: number;
  readonly data: Data;
  readonly body: Record<string, unknown>;
  readonly error: { code: string; message: string; details: { reason?: string } };
};
type Method = "GET" | "POST" | "PATCH" | "DELETE";

type Deps = Partial<Omit<AppDeps, "homeFiles" | "streams">> & { homeFiles?: Partial<HomeAccess> };

export async function openFixture({ homeFiles: given, ...deps }: Deps = {}) {
  await using stack = new AsyncDisposableStack();
  const store = stack.use(sqliteStore());
  const home = stack.use(await temporaryHome());
  const journal = await store.connect();
  const homeFiles = { profiles: openProfiles(home.path), ...given };
  const app = await createApp(appDeps(journal, { ...deps, homeFiles, webRoot: store.home }));
  stack.defer(() => app.close());
  const owned = stack.move();
  const ask = async <Data>(method: Method, url: string, body?: unknown): Promise<Reply<Data>> => {
    const type = body === undefined ? {} : { "content-type": "application/json" };
    const headers = { authorization: `Bearer ${TOKEN}`, host: "localhost:80", ...type };
    const payload = typeof body === "string" ? body : JSON.stringify(body);
    const reply = await app.inject({
      method,
      url,
      headers,
      ...(body !== undefined && { payload }),
    });
    const emitted = reply.json() as { data: Data; error: Reply<Data>["error"] };
    return { status: reply.statusCode, body: emitted, data: emitted.data, error: emitted.error };
  };
  return {
    app,
    store,
    home,
    journal,
    token: TOKEN,
    get: <Data>(url: string) => ask<Data>("GET", url),
    post: <Data>(url: string, body: unknown) => ask<Data>("POST", url, body),
    ask,
    /** The events of the fixture but its first, oldest first. */
    async noted(): Promise<SystemEvent[]> {
      const page = await journal.readRun(SYSTEM_LOG, 1, 1_000);
      return (page?.rows ?? []).map(([, , body]) => JSON.parse(body) as SystemEvent);
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
