import assert from "node:assert/strict";
import { test } from "node:test";
import { sqliteStore } from "../../../../test/support/journal/sqlite-store.ts";
import * as s from "../../../kernel/journal/contract/store.contract.ts";
import { cronJob } from "./cron.contract.ts";
import { scheduleStore } from "./store.ts";

test("[J13] a schedule's path on a volume is named by the volume, and so is the one it runs in by default", async () => {
  await using store = sqliteStore({ volumes: { big: "/mnt/big" } });
  const journal = await store.connect();
  const schedules = scheduleStore(journal);
  await schedules.createCronJob(cronJob({ job_id: "j1", workspace: "/mnt/big/p" }), "ann");
  await schedules.createCronJob(cronJob({ job_id: "j2" }), "ann");
  assert.equal((await schedules.cronJob("j1"))?.workspace, "big:/p");
  await schedules.updateCronJob("j1", { workspace: "/mnt/big/q" }, "ann");
  assert.equal((await schedules.cronJob("j1"))?.workspace, "big:/q");
  const defaults = { ...s.DEFAULTS, workspace: "/mnt/big/mine" };
  const ran = await schedules.runCronJob("j2", { by: "ann" }, defaults);
  assert.equal((await journal.reads.session(ran?.session_id ?? ""))?.workspace, "big:/mine");
});
