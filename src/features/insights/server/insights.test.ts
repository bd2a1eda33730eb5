// The figures as the API and the console tell them, on a real journal.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as d from "../../../../test/support/drafts.ts";
import { rawSql } from "../../../../test/support/journal/raw-journal.ts";
import * as s from "../../../kernel/journal/contract/store.contract.ts";
import { slotOf } from "../store/projection.ts";
import { InsightsView } from "../records.ts";
import { countOlderRuns } from "./count-older-runs.ts";
import { openFixture } from "../../../kernel/server/routes/test-support.ts";
import { openConsole } from "../../../windows/console/test-support.ts";
import { insightStore } from "../store/store.ts";

type Place = Pick<Awaited<ReturnType<typeof openFixture>>, "app" | "journal" | "store" | "token">;

async function ask({ app, token }: Place, query: string) {
  const headers = { host: "localhost:80", authorization: `Bearer ${token}` };
  const reply = await app.inject({ url: `/api/insights${query}`, headers });
  const { data, error } = reply.json<{ data: InsightsView; error: { code: string } }>();
  return { http: reply.statusCode, data, error };
}

type Used = { at: string; session?: string; model?: string; calls?: number; unpriced?: number };

/** As if a model had been asked at that moment. */
async function used({ store }: Place, { at, session = "s1", model = "m/x", ...how }: Used) {
  const { calls = 1, unpriced = 0 } = how;
  await rawSql(
    store,
    `INSERT INTO insights (slot, session_key, model, profile, workspace, model_calls, unpriced_calls, total_tokens, cost_usd)
     SELECT ?, session_key, ?, 'default', '/w', ?, ?, ?, ? FROM sessions WHERE session_id = ?`,
    slotOf(Date.parse(at) / 1_000),
    model,
    calls,
    unpriced,
    calls * 10,
    (calls - unpriced) * 0.5,
    session,
  );
}

async function withSessions(place: Place, ...ids: string[]) {
  for (const session_id of ids)
    await place.journal.commands.createSession({ session_id }, s.DEFAULTS);
}

test("[I4] a day is a calendar day of the zone that is asked for, also when its clock changes", async () => {
  await using place = await openFixture();
  await withSessions(place, "s1");
  await used(place, { at: "2026-03-28T22:59Z" });
  await used(place, { at: "2026-03-28T23:00Z", calls: 2 });
  await used(place, { at: "2026-03-29T21:59Z", calls: 4 });
  await used(place, { at: "2026-03-29T22:00Z", calls: 8 });
  const days = async (tz: string) => {
    const { data } = await ask(place, `?from=2026-03-28&to=2026-03-30&tz=${tz}`);
    return data.rows.map(({ key, model_calls }) => [key, model_calls]);
  };
  assert.deepEqual(await days("Europe/Berlin"), [
    ["2026-03-28", 1],
    ["2026-03-29", 6],
    ["2026-03-30", 8],
  ]);
  assert.deepEqual(await days("UTC"), [
    ["2026-03-28", 3],
    ["2026-03-29", 12],
    ["2026-03-30", 0],
  ]);
  assert.deepEqual(await days("Asia/Kolkata"), [
    ["2026-03-28", 0],
    ["2026-03-29", 3],
    ["2026-03-30", 12],
  ]);
});

test("[I2, I4] totals, the period before, and costs of which nobody knows", async () => {
  await using place = await openFixture();
  await withSessions(place, "s1", "s2");
  await used(place, { at: "2026-05-01T10:00Z", calls: 3 });
  await used(place, { at: "2026-05-02T10:00Z", calls: 2, unpriced: 1 });
  await used(place, {
    at: "2026-05-03T10:00Z",
    session: "s2",
    model: "m/y",
    calls: 4,
    unpriced: 4,
  });
  const { data } = await ask(place, "?from=2026-05-02&to=2026-05-03&by=session");
  assert.deepEqual(InsightsView.parse(data), data);
  assert.deepEqual(
    [data.totals.model_calls, data.totals.unpriced_calls, data.totals.cost_usd],
    [6, 5, 0.5],
  );
  const { from, to, totals } = data.previous;
  assert.deepEqual([from, to, totals.model_calls], ["2026-04-30", "2026-05-01", 3]);
  assert.deepEqual(
    data.rows.map(({ key, cost_usd }) => [key, cost_usd]),
    [
      ["s2", null],
      ["s1", 0.5],
    ],
  );
  const byDay = (await ask(place, "?from=2026-05-01&to=2026-05-04")).data.rows;
  assert.deepEqual(
    byDay.map(({ cost_usd }) => cost_usd),
    [1.5, 0.5, null, 0],
    "a day without calls cost nothing",
  );
});

test("[I1] every group, one session, a limit; today's figures at once", async () => {
  await using place = await openFixture();
  const { journal } = place;
  const did = [d.intent("c1"), d.toolStarted("c1"), d.toolDone("c1", "failed"), d.used(1, 7)];
  await s.exchange(journal, "one", ...did);
  await s.start(journal, { session_id: "s2", model: "m/y", profile: "coder", workspace: "/b" });
  const claim = await s.claimed(journal);
  await s.write(journal, claim, d.started(), d.used(1, 70), d.done(5, "failed"));
  const keys = async (by: string) => {
    const { data } = await ask(place, `?days=2&by=${by}`);
    assert.equal(data.totals.total_tokens, 77, by);
    return [...data.rows, ...data.tools].map(({ key }) => key);
  };
  assert.deepEqual(await keys("model"), ["m/y", "demo/demo"]);
  assert.deepEqual(await keys("profile"), ["coder", "default"]);
  assert.deepEqual(await keys("workspace"), ["/b", "/w"]);
  assert.deepEqual(await keys("session"), ["s2", "s1"]);
  assert.deepEqual(await keys("tool"), ["exec"]);
  assert.equal((await keys("day")).length, 2);
  const { data: one } = await ask(place, "?session_id=s1&by=model");
  assert.deepEqual([one.totals.total_tokens, one.session_id, one.rows.length], [7, "s1", 1]);
  const { data: first } = await ask(place, "?by=session&limit=1");
  assert.deepEqual([first.rows.length, first.left_out], [1, 1]);
});

test("[I4] what cannot be asked for is refused in words", async () => {
  await using place = await openFixture();
  for (const [query, why] of [
    ["?days=0", "days"],
    ["?days=367", "days"],
    ["?days=x", "days"],
    ["?days=3&from=2026-01-01", "days"],
    ["?from=2026-02-30", "from"],
    ["?to=2026-02-30", "to"],
    ["?from=2026-02-02&to=2026-02-01", "from"],
    ["?from=2020-01-01&to=2026-01-01", "from"],
    ["?by=colour", "by"],
    ["?tz=Mars/Olympus", "tz"],
    ["?limit=501", "limit"],
    ["?session_id=..%2F", "session_id"],
  ] as const) {
    const { http, error } = await ask(place, query);
    assert.deepEqual([http, error.code], [400, "invalid_request"], query);
    assert.ok(JSON.stringify(error).includes(why), `${query}: ${JSON.stringify(error)}`);
  }
  const { http, error } = await ask(place, "?session_id=nobody");
  assert.deepEqual([http, error.code], [404, "session_not_found"]);
});

test("[W6, I2] the console's panels: usage of some days, and of one session", async () => {
  await using place = await openConsole();
  const { journal, get } = place;
  await s.exchange(journal, "one", d.toolDone("c1", "failed"), d.used(1, 7));
  const { data, body } = await get("/usage/insights?days=7");
  const insights = data["insights"] as Record<string, Record<string, unknown>[]>;
  assert.deepEqual(body["insights"], insights);
  const overview = insights["overview"] as unknown as Record<string, unknown>;
  assert.deepEqual(
    ["total_sessions", "total_tokens", "total_tool_calls", "estimated_cost"].map(
      (name) => overview[name],
    ),
    [1, 7, 1, null],
  );
  assert.equal(insights["daily"]?.length, 7);
  assert.equal(insights["models"]?.[0]?.["model"], "demo/demo");
  assert.deepEqual(
    [insights["tools"]?.[0]?.["tool"], insights["tools"]?.[0]?.["percentage"]],
    ["exec", 100],
  );
  assert.equal(insights["top_sessions"]?.[0]?.["session_id"], "s1");
  type Report = Record<"overview" | "activity", Record<string, unknown>> &
    Record<"models" | "platforms" | "top_sessions", Record<string, unknown>[]>;
  const report = body["report"] as Report;
  // The client calls toFixed and map on these without looking.
  assert.deepEqual(
    [report.overview["estimated_cost"], report.models[0]?.["cost"]],
    [0, 0],
    "a number for the client, which says beside it that the price is not known",
  );
  const { sessions, has_pricing } = report.models[0] ?? {};
  assert.deepEqual([sessions, has_pricing], [1, false]);
  const [platform] = report.platforms;
  assert.deepEqual([platform?.["platform"], platform?.["sessions"]], ["api", 1]);
  assert.equal(report.overview["total_messages"], platform?.["messages"]);
  assert.equal(typeof report.overview["avg_session_duration"], "number");
  const { by_day, by_hour, active_days, max_streak } = report.activity;
  const counts = (by_day as { day: string; count: number }[]).map(({ count }) => count);
  assert.deepEqual(
    [counts.length, counts.reduce((a, b) => a + b), (by_hour as []).length],
    [7, 1, 24],
  );
  assert.deepEqual([active_days, max_streak], [1, 1]);
  assert.equal(report.top_sessions[0]?.["value"], "7 tokens");
  const session = await get("/usage/session/s1");
  assert.deepEqual([session.data["total_tokens"], session.data["cost_usd"]], [7, null]);
  assert.equal((await get("/usage/session/nobody")).error.code, "not_found");
  assert.equal((await get("/usage/session/..%2F")).error.code, "invalid_session_id");
  assert.equal((await get("/usage/insights?days=0")).http, 400);
  assert.equal((await get("/usage/insights?tz=Mars")).error.code, "invalid_request");
});

test("[I3a] an old journal's runs are counted in the background, and told while they are missing", async () => {
  await using place = await openFixture();
  const { journal, store } = place;
  await s.exchange(journal, "one", d.used(1, 7));
  await rawSql(store, "DELETE FROM insights");
  await rawSql(
    store,
    "INSERT INTO insight_backlog (log_key, seq) SELECT log_key, seq FROM logs WHERE kind = 'run'",
  );
  assert.equal((await ask(place, "?days=2")).data.uncounted_runs, 1);
  const { promise: failed, reject } = Promise.withResolvers<never>();
  const { promise: counted, resolve } = Promise.withResolvers<void>();
  const counting = countOlderRuns(
    {
      async countOlderRuns() {
        const left = await insightStore(journal).countOlderRuns();
        if (left === 0) resolve();
        return left;
      },
    },
    reject,
  );
  await Promise.race([counted, failed]);
  counting.stop();
  const { data } = await ask(place, "?days=2");
  assert.deepEqual([data.uncounted_runs, data.totals.total_tokens], [0, 7]);
});
