// GET /api/search and the console's session-search on a real journal: every filter, every refusal, hostile input.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as d from "../../../../test/support/drafts.ts";
import * as s from "../../journal/contract/store.contract.ts";
import type { Journal } from "../../journal/journal.ts";
import type { SearchHit } from "../../api/records/records.ts";
import { SearchView } from "../../api/records/records.ts";
import { openConsole } from "../../../windows/console/test-support.ts";

async function filled(journal: Journal): Promise<string> {
  const runId = await s.exchange(
    journal,
    "find the lighthouse",
    d.intent("c1"),
    d.changed("c1", "src/lighthouse.ts"),
    d.failed("lighthouse_dark"),
  );
  await s.start(journal, { session_id: "s2", message: "lighthouse two", profile: "other" });
  await journal.commands.createProject({ project_id: "proj_1", name: "P" });
  await s.start(journal, { session_id: "s3", message: "lighthouse three", workspace: "/deep" });
  await journal.commands.updateSession("s3", { project_id: "proj_1" });
  return runId;
}

type Gui = Awaited<ReturnType<typeof openConsole>>;
type Answer = {
  readonly http: number;
  readonly ok: boolean;
  readonly data: { readonly hits: SearchHit[]; readonly next: string | null };
  readonly error: { readonly code: string; readonly message: string };
};

async function native({ app, token }: Gui, query: Record<string, string>): Promise<Answer> {
  const headers = { host: "localhost:80", authorization: `Bearer ${token}` };
  const reply = await app.inject({ url: "/api/search", query, headers });
  return { ...(reply.json() as Answer), http: reply.statusCode };
}

const FILTERS: readonly [Record<string, string>, readonly string[]][] = [
  [{}, ["s1 error", "s1 file", "s1 message", "s1 message", "s2 message", "s3 message"]],
  [{ kind: "file" }, ["s1 file"]],
  [{ kind: "file,error" }, ["s1 error", "s1 file"]],
  [{ role: "assistant" }, ["s1 message"]],
  [{ tool: "exec" }, []],
  [{ session: "s2" }, ["s2 message"]],
  [{ profile: "other" }, ["s2 message"]],
  [{ workspace: "/deep" }, ["s3 message"]],
  [{ project: "proj_1" }, ["s3 message"]],
  [{ since: "99999999999" }, []],
  [{ until: "5.5" }, []],
  [{ since: "0", kind: "message", profile: "other" }, ["s2 message"]],
  [{ group: "session", kind: "message" }, ["s1 message", "s2 message", "s3 message"]],
];

test("[Q2, H1] a search is narrowed by every filter, natively and in the console", async () => {
  await using gui = await openConsole();
  const runId = await filled(gui.journal);
  const places = (hits: readonly SearchHit[]) =>
    hits.map(({ session_id, kind }) => `${session_id} ${kind}`).toSorted();
  for (const [filter, expected] of FILTERS) {
    const { data } = await native(gui, { q: "lighthouse", ...filter });
    assert.deepEqual(SearchView.parse(data), data);
    assert.deepEqual(places(data.hits), expected, JSON.stringify(filter));
    const query = new URLSearchParams({ query: "lighthouse", ...filter }).toString();
    const reply = await gui.get(`/session-search?${query}`);
    assert.deepEqual(places(reply.data["results"] as SearchHit[]), expected, query);
  }
  const { data } = await native(gui, { q: "src/lighthouse", kind: "file" });
  const [hit] = data.hits;
  assert.deepEqual([hit?.run_id, hit?.role, hit?.title], [runId, "tool", "find the lighthouse"]);
  const [event] = (await gui.journal.readRun(runId, (hit?.seq ?? 0) - 1, 1))?.rows ?? [];
  assert.match(event?.[2] ?? "", /"type":"files.changed"/);
  assert.deepEqual(hit?.marks, [
    [0, 3],
    [4, 14],
  ]);
});

test("[Q3] pages follow each other, natively and in the console", async () => {
  await using gui = await openConsole();
  await filled(gui.journal);
  const seen: string[] = [];
  let cursor: string | null = null;
  do {
    const query = { q: "lighthouse", limit: "4", ...(cursor !== null && { cursor }) };
    const { data }: Answer = await native(gui, query);
    seen.push(...data.hits.map(({ run_id, seq }) => `${run_id}:${seq}`));
    cursor = data.next;
  } while (cursor !== null);
  assert.equal(new Set(seen).size, 6);
  assert.equal(seen.length, 6);
  type Page = { search: { next: string; count: number; results: Record<string, unknown>[] } };
  const first = (await gui.get("/session-search?q=lighthouse&limit=4")).data as Page;
  assert.equal(first.search.count, 4);
  const rest = await gui.get(`/session-search?q=lighthouse&limit=4&cursor=${first.search.next}`);
  assert.equal((rest.data as Page).search.count, 2);
  assert.deepEqual(rest.data["results"], (rest.data as Page).search.results);
  for (const field of ["session_id", "session_title", "snippet", "role", "run_id", "seq", "kind"]) {
    assert.ok(first.search.results.every((result) => field in result, field));
  }
  const narrow = await gui.get("/session-search?q=lighthouse&session_id=s2");
  assert.equal((narrow.data as Page).search.count, 1);
});

test("[Q1c] bad filters are refused clearly, and hostile words find nothing or something", async () => {
  await using gui = await openConsole();
  await filled(gui.journal);
  const refused: readonly Record<string, string>[] = [
    [{ kind: "spell" }, { kind: "" }, { kind: "file," }, { role: "pirate" }, { session: "a b" }],
    [{ since: "yesterday" }, { until: "-1" }, { until: "1e9" }, { project: "../x" }],
    [{ cursor: "1" }, { cursor: "0.0; DROP TABLE x" }, { group: "run" }, { limit: "1000" }],
    [{ limit: "-1" }, { q: "x".repeat(1_001) }, { tool: "" }, { profile: "" }],
  ].flat();
  for (const filter of refused) {
    const { http, error } = await native(gui, { q: "lighthouse", ...filter });
    assert.deepEqual([http, error.code], [400, "invalid_request"], JSON.stringify(filter));
    assert.ok(error.message.length > 5);
  }
  const { q: _none, ...without } = { q: "" };
  assert.equal((await native(gui, without)).http, 400);
  for (const q of [
    '"',
    "*",
    "NEAR(a b)",
    "\0",
    "🌅",
    "a AND",
    "-",
    "!!!",
    "'; DROP TABLE x;--",
    "%",
  ]) {
    const { http, data } = await native(gui, { q });
    assert.equal(http, 200, q);
    assert.ok(data.hits.length <= 6);
    const console = await gui.get(`/session-search?query=${encodeURIComponent(q)}`);
    assert.equal(console.http, 200, q);
  }
  const long = await gui.get(`/session-search?q=${"w ".repeat(600)}`);
  assert.equal(long.http, 400);
  assert.equal((await gui.get("/session-search?q=x&kind=spell")).http, 400);
  assert.equal((await gui.get("/session-search?q=+")).error.code, "missing_query");
});
