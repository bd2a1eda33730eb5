// While the database is away a server says so, at once and everywhere, and goes on by itself when it is back.
import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { WebSocket } from "ws";
import { call, startRun, type Server } from "../../support/http.ts";
import { startPostgres } from "../../support/postgres/postgres.ts";
import { startServe } from "../../support/processes.ts";
import { newTestHome, quarterdeck } from "../../support/program.ts";
import { startTcpProxy } from "../../support/servers/tcp-proxy.ts";
import { until } from "../../support/until.ts";

type Storage = { backend: string; away: { since: number; problem: string } | null };
type Beat = { feed: string; away: Storage["away"] };

async function healthOf({ url }: Server): Promise<Storage> {
  return ((await (await fetch(`${url}/health`)).json()) as { storage: Storage }).storage;
}

/** What a scraper reads, as far as it is ours. */
async function metricsOf({ url, token }: Server): Promise<string[]> {
  const headers = { authorization: `Bearer ${token}` };
  const text = await (await fetch(`${url}/metrics`, { headers })).text();
  return text.split("\n").filter((line) => line.startsWith("quarterdeck_"));
}

/** The newest heartbeat that a page was told. */
async function openPage({ url, token }: Server) {
  const headers = { authorization: `Bearer ${token}` };
  const socket = new WebSocket(`${url.replace("http", "ws")}/api/feed`, { headers });
  const beats: Beat[] = [];
  socket.on("message", (data: Buffer) => {
    const frame = JSON.parse(data.toString()) as Beat;
    if (frame.feed === "heartbeat") beats.push(frame);
  });
  await once(socket, "open");
  return { beats, last: () => beats.at(-1), [Symbol.dispose]: () => socket.terminate() };
}

test("[D5, V4] health, status and open pages say that the database is away, and that it is back", async () => {
  await using postgres = await startPostgres({ fsync: false });
  using place = newTestHome({ database_patience_ms: 500, heartbeat_ms: 60_000 });
  const env = { QUARTERDECK_DATABASE_URL: await postgres.database() };
  await using server = await startServe(place, { env });
  using page = await openPage(server);
  await until(() => page.last(), "the first heartbeat");
  assert.equal(page.last()?.away, null);
  assert.deepEqual(await healthOf(server), { backend: "postgres", away: null });
  const status = await call<{ storage: Storage }>(server, "GET", "/api/status");
  assert.deepEqual(status.body.data.storage, { backend: "postgres", away: null });

  await postgres.kill();
  await until(() => page.last()?.away, "the page to hear of it, long before its next beat");
  const { away } = await healthOf(server);
  assert.ok(away && away.problem !== "" && away.since > 0);
  for (const path of ["/api/status", "/health/detailed"]) {
    const refused = await call(server, "GET", path);
    assert.equal(refused.status, 503, path);
    assert.equal(refused.body.error.code, "unavailable");
    assert.match(refused.body.error.message, /^The database is away \(/);
    assert.deepEqual(Object.keys(refused.body.error.details), ["storage"]);
  }
  const scraped = await metricsOf(server);
  assert.ok(scraped.includes("quarterdeck_database_away 1"), "[I5] metrics say so, too");
  assert.ok(!scraped.some((line) => /^quarterdeck_(open_runs|events|runners)/.test(line)));
  const command = await call(server, "POST", "/api/runs", { message: "say hello" });
  assert.equal(command.status, 503, "nothing is acknowledged");
  const emitted = await quarterdeck(["status", "--home", place.home], { env });
  assert.deepEqual([emitted.code, /does not answer/.test(emitted.stderr)], [3, true]);

  await postgres.restart();
  await until(() => page.last()?.away === null, "the page to hear that it is back");
  assert.equal((await healthOf(server)).away, null);
  await until(async () => (await call(server, "GET", "/api/status")).status === 200, "status");
  assert.equal((await startRun(server, "say hello")).status, "accepted");
  assert.ok((await metricsOf(server)).includes("quarterdeck_database_away 0"));
  assert.ok((await metricsOf(server)).includes('quarterdeck_open_runs{status="queued"} 1'));
});

test("[D5] a database that hangs without a word is not waited for by status and health", async () => {
  await using postgres = await startPostgres({ fsync: false });
  await using network = await startTcpProxy({ port: Number(new URL(postgres.url).port) });
  using place = newTestHome({ database_patience_ms: 500 });
  const env = { QUARTERDECK_DATABASE_URL: network.through(await postgres.database()) };
  await using server = await startServe(place, { env });
  network.cut("silence");
  const refused = await call(server, "GET", "/api/status");
  assert.equal(refused.status, 503);
  assert.match(refused.body.error.message, /^The database is away/);
  assert.equal((await fetch(`${server.url}/health`)).status, 200, "the server itself is alive");
  network.heal();
  await until(async () => (await call(server, "GET", "/api/status")).status === 200, "status");
});
