// What `status` and runners know of processes that were killed and could not sign off.
import assert from "node:assert/strict";
import { test } from "node:test";
import { newTestHome, startProgram } from "../../support/program.ts";
import { rawSql } from "../../support/journal/raw-journal.ts";
import { until } from "../../support/until.ts";

test("[J5] killed processes are forgotten by the next runner, however many there were", async () => {
  using place = newTestHome();
  await using program = await startProgram(place);
  for (let kills = 0; kills < 3; kills++) {
    const [pid] = await program.kill("work");
    await until(async () => (await program.status()).runners.some((runner) => runner.pid !== pid));
  }

  const runners = await rawSql(place, "SELECT pid FROM processes WHERE kind = 'runner'");
  const [alive] = (await program.status()).runners;
  assert.deepEqual(
    runners.map(({ pid }) => pid),
    [alive?.pid],
  );
});
