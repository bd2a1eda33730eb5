// A schedule's answer in a messenger: the real program against a local Bot API, killed where it could come twice or not at all.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { CronHistory } from "../../../src/features/schedules/records.ts";
import { fakeTelegram, TELEGRAM_TOKEN } from "../../support/messengers/fakes/telegram.ts";
import * as g from "../../support/messengers/gateway-place.ts";
import { call } from "../../support/http.ts";
import { until } from "../../support/until.ts";

test("[Z6, G8] what a schedule came to is in the home channel once, whatever is killed, and the history says so", async () => {
  await using fake = await fakeTelegram();
  using place = g.gatewayPlace({ kind: "telegram", url: fake.url });
  await using program = await g.gatewayProgram(place);
  const settings = { secrets: { token: TELEGRAM_TOKEN }, home_channel: "77" };
  await g.switchOn(program, "telegram", settings);
  const cron = (path: string, body: unknown = {}) =>
    call(program, "POST", `/api/cron/jobs${path}`, body);
  const prompt = "say The news of today.";
  await cron("", { job_id: "news", name: "News", schedule: "in 1s", prompt, deliver: "telegram" });
  const said = () => fake.in(77).filter(({ text }) => text === "The news of today.");
  const newest = async () => {
    const path = "/api/cron/jobs/news/history";
    return (await call<CronHistory>(program, "GET", path)).body.data.ticks[0];
  };
  await until(() => said().length === 1, "it to be told");
  await until(async () => (await newest())?.delivery?.state === "delivered", "it to be settled");
  assert.equal((await newest())?.result, "fired");

  await cron("/news/run");
  await until(async () => (await newest())?.status === "completed", "the run to end");
  await program.kill("work");
  await g.killGateway(program);
  await until(async () => (await newest())?.delivery?.state === "delivered", "it to be settled");
  assert.equal(said().length, 2, "once each");
});
