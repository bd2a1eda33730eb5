// openapi.json compared with the server: the same routes, and answers that match their schemas.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { z } from "zod";
import { appDeps, TOKEN } from "../../test/support/app-deps.ts";
import * as d from "../../test/support/drafts.ts";
import { sqliteStore, type SqliteStore } from "../../test/support/journal/sqlite-store.ts";
import * as s from "../kernel/journal/contract/store.contract.ts";
import type { Journal } from "../kernel/journal/journal.ts";
import { createApp } from "../cli/create-app.ts";
import type { demoApi } from "../features/demo/api.ts";
import type { MessengerService } from "../features/messengers/server/service.ts";
import type { PushService } from "../features/push/server/push.ts";
import * as records from "../kernel/api/records/records.ts";
import { API_ROUTES } from "./routes.ts";
import { Outcome } from "../kernel/events/commands.ts";
import { DIALECT_ROUTES } from "../windows/all.ts";
import { ErrorEnvelope, ERRORS, type ErrorCode } from "../kernel/events/errors.ts";
import { openApi } from "./openapi.ts";

const noSettings = async () => ({ version: "", supervised: false, sections: [], keys: [] });

async function serving(store: SqliteStore, journal: Journal) {
  const deps = appDeps(journal, {
    home: store.home,
    settings: { read: noSettings, change: noSettings, setKey: noSettings },
    push: {
      publicKey: async () => "key",
      check: async () => undefined,
      send: async () => ({ ok: true }),
    } satisfies PushService,
    gateway: {
      secrets: { of: async () => ({}), fixed: () => [], set: async () => undefined },
      secretProblem: async () => undefined,
      test: async () => ({ works: false, account: null, problem: "nobody is there" }),
      hashOfCode: (_platform, code) => code,
      webhook: async () => ({ accepted: false, duplicate: true, session_id: null, said: null }),
    } satisfies MessengerService,
    webRoot: store.home,
  });
  return createApp(deps);
}

test("[H1] every route of the server is described, and nothing else", async () => {
  await using store = sqliteStore();
  await using app = await serving(store, await store.connect());
  await app.ready();
  const described = API_ROUTES.map(({ method, path }) => `${method.toUpperCase()} ${path}`);
  const foreign = Object.values(DIALECT_ROUTES)
    .flat()
    .filter(({ method, path }) => method !== "WS" && !path.endsWith("/*")) // printed without its path
    .map(({ method, path }) => `${method} ${path.replace(/\/$/, "")}`);
  const served = routesIn(app.printRoutes({ commonPrefix: false }));
  assert.deepEqual(served, [...new Set([...described, ...foreign])].toSorted());
});

test("[H1] operations are named once, and every path parameter is declared", () => {
  const { paths } = openApi() as { paths: Record<string, { parameters?: { name: string }[] }> };
  const ids = API_ROUTES.map(({ id }) => id);
  assert.equal(new Set(ids).size, ids.length);
  for (const [path, item] of Object.entries(paths)) {
    const declared = item.parameters?.map(({ name }) => name) ?? [];
    assert.deepEqual(
      declared,
      [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name),
    );
  }
});

test("[H1] every error code is described somewhere, except what no route can give", () => {
  const text = JSON.stringify(openApi());
  const missing = (Object.keys(ERRORS) as ErrorCode[]).filter(
    (code) => !text.includes(`\`${code}\``),
  );
  assert.deepEqual(missing, ["method_not_allowed"]); // about paths that are not ours
});

type Responses = Record<string, unknown>;

test("[H1, C1] the server answers what is described", async () => {
  await using store = sqliteStore();
  const { journal, runId, claim } = await s.withRun(store);
  await s.write(journal, claim, d.started(), d.intent("c1"), d.approvalAsked("c1"));
  await s.start(journal, { session_id: "s2" });
  await journal.commands.updateGoal("s1", { action: "set", text: "ship" });
  await using app = await serving(store, journal);
  const seen = new Set<string>();

  const ask = async (
    id: string,
    schema: z.ZodObject,
    values: Record<string, string>,
    body?: object,
  ) => {
    const route = API_ROUTES.find((each) => each.id === id);
    assert.ok(route, id);
    const url = route.path.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? "nobody");
    const headers = { authorization: `Bearer ${TOKEN}`, host: "localhost:80" };
    const request = { method: route.method.toUpperCase() as "GET", url, headers };
    const reply = await app.inject(body ? { ...request, payload: body } : request);
    const { paths } = openApi() as {
      paths: Record<string, Record<string, { responses: Responses }>>;
    };
    const responses = paths[route.path]?.[route.method]?.responses ?? {};
    assert.ok(
      Object.hasOwn(responses, reply.statusCode),
      `${id}: ${reply.statusCode} is described`,
    );
    const { ok, data } = reply.json() as { ok: boolean; data: unknown };
    if (ok) assert.deepEqual(schema.strict().parse(data), data, id);
    else assert.deepEqual(ErrorEnvelope.parse(reply.json()), reply.json(), id);
    seen.add(`${id} ${reply.statusCode}`);
  };

  await ask("getRun", records.RunView, { runId });
  await ask("getRun", records.RunView, {});
  await ask("getSnapshot", records.SnapshotView, { runId });
  await ask("listSessions", records.SessionPage, {});
  await ask("getSession", records.SessionView, { sessionId: "s1" });
  await ask("getSession", records.SessionView, {});
  await ask("listPending", records.PendingView, {});
  await ask("getInbox", records.InboxView, {});
  await ask("getRequest", records.RequestView, { requestId: "ap_c1" });
  await ask("getRequest", records.RequestView, {});
  await ask("getStatus", records.StatusView, {});
  await ask("getAuth", records.AuthView, {});
  await ask("startRun", Outcome, {}, { message: "go", message_id: "k1" });
  await ask("startRun", Outcome, {}, { message: "go", message_id: "k1" });
  await ask("startRun", Outcome, {}, { message: "other", message_id: "k1" });
  await ask("startRun", Outcome, {}, { message: "" });
  await ask("createSession", Outcome, {}, {});
  await ask("queueMessage", Outcome, { runId }, { message: "left", mode: "steer" });
  await ask("respondApproval", Outcome, { runId, requestId: "ap_c1" }, { choice: "once" });
  await ask("respondApproval", Outcome, { runId, requestId: "ap_c1" }, { choice: "deny" });
  await ask("respondClarify", Outcome, { runId }, { response: "a" });
  await ask("updateTitle", Outcome, { sessionId: "s1" }, { title: "New" });
  await ask("updateGoal", Outcome, { sessionId: "s1" }, { action: "status" });
  await askForTheRest(ask, runId);
  await ask("cancelRun", Outcome, { runId }, {});
  await ask("killRunner" satisfies keyof typeof demoApi, records.KilledView, {}, { run_id: runId });
  await ask("login", records.LoginView, {}, { code: "wrong" });
  assert.ok(seen.has("startRun 202") && seen.has("startRun 200") && seen.has("startRun 409"));
});

type Ask = (
  id: string,
  schema: z.ZodObject,
  values: Record<string, string>,
  body?: object,
) => Promise<void>;

async function askForTheRest(ask: Ask, runId: string): Promise<void> {
  const sessionId = "s1";
  for (const values of [{ sessionId }, {}]) {
    await ask("updateSession", Outcome, values, { yolo: true });
    for (const id of ["undo", "retry", "branch", "compress", "rollback"]) {
      await ask(id, Outcome, values, {});
    }
    await ask("sessionChanges", records.ChangesView, values);
    await ask("sessionDiff", records.DiffView, values);
    await ask("sessionRules", records.RulesView, values);
  }
  for (const values of [{ runId, messageId: "msg" }, { messageId: "msg" }]) {
    await ask("moveQueued", Outcome, values, { before: null });
    await ask("rerun", Outcome, values, { message: "else" });
    await ask("editMessage", Outcome, values, { text: "else" });
    await ask("runChanges", records.ChangesView, values);
    await ask("runDiff", records.DiffView, values);
    await ask("runSpent", records.SpentRecord, values);
  }
  await ask("search", records.SearchView, {});
  await ask("createProject", Outcome, {}, { project_id: "p1", name: "One" });
  for (const values of [{ projectId: "p1" }, {}]) {
    await ask("getProject", records.ProjectRecord, values);
    await ask("updateProject", Outcome, values, { model: "demo/demo" });
  }
  await ask("listProjects", records.ProjectsView, {});
  await ask("deleteProject", Outcome, { projectId: "p1" });
  await ask("deleteProject", Outcome, { projectId: "p1" });
}

/** The tree that Fastify prints, as "GET /api/runs/{runId}" lines. */
function routesIn(tree: string): string[] {
  const found = new Set<string>();
  const above: string[] = [];
  for (const line of tree.split("\n")) {
    const match = /^(?<indent>[│ ]*)[├└]── (?<part>\S+)(?: \((?<methods>[A-Z, ]+)\))?/.exec(line);
    const { indent = "", part = "", methods = "" } = match?.groups ?? {};
    const depth = indent.length / 4;
    above.length = depth;
    above.push(part);
    const path = above
      .join("")
      .replace(/\/$/, "")
      .replaceAll(/:(\w+)/g, "{$1}");
    for (const method of methods.split(", ").filter(Boolean)) {
      const ours = /^\/(api|v1|health|app|metrics)\b/.test(path);
      if (ours && method !== "HEAD") found.add(`${method} ${path}`);
    }
  }
  return [...found].toSorted();
}
