// What a scraper reads, of a real app on a real journal.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as d from "../../../../../test/support/drafts.ts";
import * as s from "../../../../kernel/journal/contract/store.contract.ts";
import { openFixture } from "../../../../kernel/server/routes/test-support.ts";
import { openConsole } from "../../../../windows/console/test-support.ts";

type Place = Pick<Awaited<ReturnType<typeof openFixture>>, "app" | "token">;

async function scrape({ app, token }: Place): Promise<string> {
  const headers = { host: "localhost:80", authorization: `Bearer ${token}` };
  const reply = await app.inject({ url: "/metrics", headers });
  assert.equal(reply.statusCode, 200);
  assert.match(reply.headers["content-type"] as string, /^text\/plain; version=0\.0\.4/);
  return reply.body;
}

/** The value of exactly this series; undefined when there is none. */
function valueOf(text: string, series: string): number | undefined {
  const line = text.split("\n").find((each) => each.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
}

test("[I5, A1] metrics need the token like everything else", async () => {
  await using place = await openFixture();
  const reply = await place.app.inject({ url: "/metrics", headers: { host: "localhost:80" } });
  assert.equal(reply.statusCode, 401);
  const elsewhere = await place.app.inject({ url: "/metrics", headers: { host: "evil.example" } });
  assert.equal(elsewhere.statusCode, 403);
});

test("[I5a] requests are counted by the pattern of their route, never by what somebody typed", async () => {
  await using place = await openConsole();
  await scrape(place);
  const headers = { host: "localhost:80", authorization: `Bearer ${place.token}` };
  for (const url of ["/api/runs/secret-name", "/api/runs/other", "/api/nowhere/secret-name"]) {
    await place.app.inject({ url, headers });
  }
  await place.post("/chat/send", { message: "ahoy", session_id: "secret-session" });
  const text = await scrape(place);
  const requests = (labels: string) => valueOf(text, `quarterdeck_http_requests_total{${labels}}`);
  assert.equal(requests('method="GET",route="/api/runs/:runId",status="404"'), 2);
  assert.equal(requests('method="GET",route="none",status="404"'), 1);
  assert.equal(requests('method="GET",route="/metrics",status="200"'), 1);
  assert.doesNotMatch(text, /secret/);
  assert.equal(valueOf(text, "quarterdeck_http_request_seconds_count"), 5);
  assert.equal(valueOf(text, "quarterdeck_command_seconds_count"), 1);
  assert.ok(Number(valueOf(text, "process_cpu_seconds_total")) > 0);
});

test("[I5, I2] what the journal has: runs, requests, tokens and cost, without anybody's words", async () => {
  await using place = await openFixture();
  const { journal } = place;
  const { type, payload } = d.used(1, 30) as Extract<
    ReturnType<typeof d.used>,
    { type: "usage.updated" }
  >;
  const used = {
    type,
    payload: { ...payload, input_tokens: 20, output_tokens: 10, cost_usd: 0.5 },
  };
  await s.start(journal, { model: "anthropic/claude" });
  const claim = await s.claimed(journal);
  await s.write(journal, claim, d.started(), used, d.toolDone("c1", "failed"), d.done(6, "failed"));
  await s.start(journal, { session_id: "s2", model: "mine/private-finetune" });
  const other = await s.claimed(journal);
  await s.write(journal, other, d.started(), d.used(1, 7), d.approvalAsked("c1"));
  await s.start(journal, { session_id: "s3", message: "private words" });
  const text = await scrape(place);
  const emitted = (name: string) => valueOf(text, `quarterdeck_${name}`);
  assert.equal(emitted('model_tokens_total{provider="anthropic",type="input"}'), 20);
  assert.equal(emitted('model_tokens_total{provider="anthropic",type="output"}'), 10);
  assert.equal(emitted('model_cost_usd_total{provider="anthropic"}'), 0.5);
  assert.equal(emitted('model_unpriced_calls_total{provider="other"}'), 1);
  assert.equal(emitted('tool_calls_total{provider="anthropic",outcome="failed"}'), 1);
  assert.equal(emitted('runs_total{provider="anthropic",status="failed"}'), 1);
  assert.equal(emitted('open_runs{status="running"}'), 1);
  assert.equal(emitted('open_runs{status="queued"}'), 1);
  assert.equal(emitted('open_runs{status="paused"}'), 0);
  assert.equal(emitted("unclaimed_runs"), 1);
  assert.equal(emitted("pending_requests"), 1);
  assert.equal(emitted("runners"), 0);
  assert.equal(emitted("database_away"), 0);
  assert.equal(emitted("events_total"), 6 + 5 + 2);
  assert.doesNotMatch(text, /private/);
});

test("[I5b] counters grow from scrape to scrape, by what came in between", async () => {
  await using place = await openFixture();
  const { journal } = place;
  const events = async () => valueOf(await scrape(place), "quarterdeck_events_total") ?? Number.NaN;
  assert.equal(await events(), 0);
  await s.exchange(journal, "one");
  const first = await events();
  await s.exchange(journal, "two");
  assert.equal(await events(), 2 * first);
});
