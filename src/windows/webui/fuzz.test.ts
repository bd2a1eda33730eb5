// Whatever is sent to the browser's routes: an answer below 500, in the page's shape, and a server that
// goes on. Streams are asked for only where they cannot begin.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { tries } from "../../../test/support/tries.ts";
import Fastify from "fastify";
import * as d from "../../../test/support/drafts.ts";
import { sqliteStore } from "../../../test/support/journal/sqlite-store.ts";
import { TOKEN } from "../../../test/support/app-deps.ts";
import { webuiApp } from "../../../test/support/windows/webui.ts";
import { withRun, write } from "../../kernel/journal/contract/store.contract.ts";
import { WEBUI_ROUTES } from "./wire/routes.ts";
import type { AppDeps } from "../../kernel/server/app.ts";
import { webuiWindow } from "./webui.ts";

const REQUESTS = tries(10_000);

async function opened() {
  const store = sqliteStore();
  const { journal, runId, claim } = await withRun(store);
  await write(journal, claim, d.started(), d.intent("c1"), d.approvalAsked("c1"));
  await write(journal, claim, d.clarifyAsked("cl_1", null));
  const failures: unknown[] = [];
  const failed = (error: unknown) => void failures.push(error);
  const app = await webuiApp(journal, store.home, { failed });
  return { store, app, runId, failures };
}

test("[W6] the routes that are listed are the routes that are served", async () => {
  const served: string[] = [];
  const app = Fastify({ exposeHeadRoutes: false });
  app.addHook("onRoute", ({ method, url }) => void served.push(`${String(method)} ${url}`));
  const streams = { heartbeatMs: 1_000 };
  const { routes } = webuiWindow({ streams } as unknown as AppDeps);
  assert.ok(routes);
  await app.register(routes);
  const listed = WEBUI_ROUTES.map(({ method, path }) => `${method} ${path}`);
  assert.deepEqual(served.toSorted(), listed.toSorted());
});

const NAMES =
  "session_id message stream_id choice approval_id clarify_id response answer text args action " +
  "attachments model model_provider regenerate workspace profile message_id run_id yolo kickoff " +
  "metadata toolsets __proto__ constructor source project_id feedback";
const names = fc.constantFrom(...NAMES.split(" "));
const WORDS = "s1 s2 ap_c1 cl_1 once deny left pause status demo/demo ../../etc __proto__".split(
  " ",
);
const ODD = [
  "",
  " ",
  "set x",
  "x".repeat(200),
  "\u0000",
  "\ud800",
  null,
  true,
  false,
  0,
  -1,
  1e300,
];
const NESTED = [[], {}, [{ name: "a" }], [[[[[]]]]]];

const usual = fc.nat(200).map((number): [string, unknown][] => [
  ["session_id", number > 100 ? "s1" : `w${number}`], // known, or not yet
  ["message", "go"],
  ["choice", "once"],
  ["response", "left"],
  ["text", "status"],
]);

function requests(runId: string) {
  const known = fc.constantFrom<unknown>(runId, ...WORDS, ...ODD, ...NESTED);
  const value = fc.oneof({ weight: 4, arbitrary: known }, fc.jsonValue({ maxDepth: 3 }));
  const entries = fc.array(fc.tuple(names, value), { maxLength: 6 });
  // Of two fields with one name the last one counts.
  const object = fc.tuple(fc.oneof(usual, fc.constant([])), entries).map(([first, rest]) => {
    const text = [...first, ...rest].map((pair) => pair.map((part) => JSON.stringify(part)));
    return `{${text.map((pair) => pair.join(":")).join(",")}}`;
  });
  const body = fc.oneof(
    { weight: 10, arbitrary: object },
    fc.jsonValue().map((given) => JSON.stringify(given)),
    fc.string(),
  );
  const query = fc
    .array(fc.tuple(names, fc.oneof(known, fc.string())), { maxLength: 3 })
    .map((pairs) => pairs.map(([name, given]) => `${name}=${encodeURIComponent(toText(given))}`));
  const headers = fc.record(
    {
      "idempotency-key": fc.string({ unit: fc.constantFrom("a", " ", "é", "~"), maxLength: 5 }),
      "last-event-id": fc.constantFrom("1", `${runId}:2`, "x", "9".repeat(30)),
    },
    { requiredKeys: [] },
  );
  return fc.record({ route: fc.constantFrom(...WEBUI_ROUTES), query, body, headers });
}

const toText = (given: unknown) =>
  (typeof given === "string" ? given : (JSON.stringify(given) ?? "")).toWellFormed();

/** These answer only when they end, which a run that waits does not. */
const STREAMS = new Set([
  "/api/chat/stream",
  "/api/chat/session-events",
  "/api/session/stream",
  "/api/sessions/events",
]);

test(`[W6] ${REQUESTS} arbitrary requests: the page's error or an answer, never a failure`, async () => {
  const { store, app, runId, failures } = await opened();
  const seen = new Map<string, number>();
  const count = (key: string) => seen.set(key, (seen.get(key) ?? 0) + 1);
  const base = { authorization: `Bearer ${TOKEN}`, host: "localhost:80" };
  await fc.assert(
    fc.asyncProperty(requests(runId), async ({ route, query, body, headers }) => {
      const streams = STREAMS.has(route.path);
      const text = query
        .filter((pair) => !streams || !/^(session|stream)_id=/.test(pair))
        .join("&");
      const missing = route.path === "/api/chat/stream" ? "stream_id" : "session_id";
      const never = streams ? `${text && `${text}&`}${missing}=nobody` : text;
      if (route.path === "/api/sessions/events") return; // needs nothing, so it always begins
      const reply = await app.inject({
        method: route.method as "GET",
        url: `${route.path}?${never}`,
        headers: {
          ...base,
          ...headers,
          ...(route.method === "POST" && { "content-type": "application/json" }),
        },
        ...(route.method === "POST" && { payload: body }),
      });
      count(`${route.path} ${reply.statusCode}`);
      assert.ok(reply.statusCode < 500, `${route.path} ${reply.body}`);
      const answer = reply.json() as { error?: unknown; ok?: unknown };
      if (reply.statusCode >= 400) assert.equal(typeof answer.error, "string", reply.body);
    }),
    { numRuns: Math.ceil((REQUESTS * 15) / 14) },
  );
  assert.deepEqual(failures, []);
  const total = [...seen.values()].reduce((sum, each) => sum + each, 0);
  assert.ok(total >= REQUESTS * 0.98, `${total} requests`);
  for (const path of ["/api/chat/start 200", "/api/chat/start 400", "/api/goal 200"]) {
    assert.ok(seen.has(path), path);
  }
  await app.close();
  await store[Symbol.asyncDispose]();
});
