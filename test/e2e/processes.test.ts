// What `status` and runners know of processes that were killed and could not sign off.
import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { newPlace, startProgram } from "../support/program.ts";
import { until } from "../support/until.ts";

test("[J5] killed processes are forgotten by the next runner, however many there were", async () => {
  using place = newPlace();
  await using program = await startProgram(place);
  const registered = () => {
    using db = new DatabaseSync(join(place.home, "journal.db"), { readOnly: true });
    return db.prepare("SELECT kind, pid FROM processes").all() as { kind: string; pid: number }[];
  };
  for (let kills = 0; kills < 3; kills++) {
    const [pid] = await program.kill("work");
    await until(async () => (await program.status()).runners.some((runner) => runner.pid !== pid));
  }

  const runners = registered().filter(({ kind }) => kind === "runner");
  const [alive] = (await program.status()).runners;
  assert.deepEqual(
    runners.map(({ pid }) => pid),
    [alive?.pid],
  );
});
