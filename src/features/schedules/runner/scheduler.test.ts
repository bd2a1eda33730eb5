import assert from "node:assert/strict";
import { test } from "node:test";
import { rawSql } from "../../../../test/support/journal/raw-journal.ts";
import { sqliteStore } from "../../../../test/support/journal/sqlite-store.ts";
import { until } from "../../../../test/support/until.ts";
import { cronJob } from "../store/cron.contract.ts";
import { DEFAULTS } from "../../../kernel/journal/contract/store.contract.ts";
import { keepSchedules } from "./scheduler.ts";
import { scheduleStore } from "../store/store.ts";

test("[Z4c] a schedule that waits because the clock was ahead is named, and only that one", async () => {
  await using store = sqliteStore();
  const journal = await store.connect();
  for (const job_id of ["waits", "fine"]) {
    await scheduleStore(journal).createCronJob(cronJob({ job_id, schedule: "every 1m" }), "ann");
  }
  const ahead = Math.floor(Date.now() / 1_000) + 86_400; // as a wrong clock leaves it
  const left = "UPDATE cron_jobs SET decided_to = ?, next_at = ? WHERE job_id = 'waits'";
  await rawSql(store, left, ahead, ahead + 60);
  const emitted: string[] = [];
  const over = new AbortController();
  const keeping = keepSchedules(
    {
      journal,
      defaults: async () => DEFAULTS,
      logError: (message) => void emitted.push(message),
    },
    over.signal,
  );
  await until(() => emitted.length > 0, "it to be named");
  over.abort();
  await keeping;
  assert.equal(emitted.length, 1);
  assert.match(emitted[0] ?? "", /^schedule waits waits until .* the clock was ahead/);
});
