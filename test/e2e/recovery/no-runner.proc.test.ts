// A server without any runner: nothing looks as if it went on, a stop reaches its end, and a new runner goes on.
import assert from "node:assert/strict";
import { test } from "node:test";
import { followRun } from "../../support/follow.ts";
import { call, readEvents, startRun } from "../../support/http.ts";
import { openServer } from "../../support/pair.ts";
import { startWork } from "../../support/processes.ts";
import { newTestHome } from "../../support/program.ts";
import { answerOf, countTo, eventsOf, runInfo } from "../../support/runs.ts";
import { until } from "../../support/until.ts";

const SLOW = "pace 20\ncount 400";

test("[R20, C4, R80, R64] without a runner a run waits for one in every window, and a stop ends it", async () => {
  using place = newTestHome();
  await using server = await openServer(place);
  const work = await startWork(place);
  const [kept, stopped] = [await startRun(server, SLOW), await startRun(server, SLOW)];
  for (const { run_id } of [kept, stopped]) {
    await readEvents(server, `/api/runs/${run_id}/events`, { take: 20 });
  }
  await work[Symbol.asyncDispose](); // kill -9
  const waits = async (id: string) => (await runInfo(server, id)).status === "paused";
  await until(async () => (await waits(kept.run_id)) && waits(stopped.run_id), "both to wait");
  const get = async (path: string) =>
    (
      await fetch(`${server.url}${path}`, { headers: { authorization: `Bearer ${server.token}` } })
    ).json() as Promise<Record<string, unknown>>;
  assert.equal((await get("/health/detailed"))["runners"], 0);
  const legacy = await get(`/v1/runs/${kept.run_id}`);
  assert.equal(legacy["lifecycle"], "paused");

  await call(server, "POST", `/api/runs/${stopped.run_id}/cancel`, {});
  const { events: ended } = await followRun(() => server, stopped.run_id);
  assert.equal(eventsOf(ended, "done")[0]?.payload.status, "cancelled");

  await using _next = await startWork(place);
  const { events } = await followRun(() => server, kept.run_id);
  assert.deepEqual(answerOf(events), [countTo(400)]);
  const reasons = eventsOf(events, "status").map(({ payload }) => [payload.status, payload.reason]);
  assert.deepEqual(reasons, [
    ["paused", "waiting for a runner"],
    ["running", null],
  ]);
});
