import assert from "node:assert/strict";
import { test } from "node:test";
import * as d from "../../test/support/drafts.ts";
import { sqliteStore } from "../../test/support/sqlite-store.ts";
import { until } from "../../test/support/until.ts";
import * as s from "../journal/contract/store.contract.ts";
import { processNews } from "./process-news.ts";
import { RunLog } from "./run-log.ts";

const STARTED = {
  type: "process.started",
  payload: { process_id: "p", call_id: "c1", command: "yes" },
} as const;
const EXIT = { processId: "p", marker: "r", exit_code: 0, signal: null, stderr: "" };

async function following() {
  const store = sqliteStore();
  const { journal, claim } = await s.withRun(store);
  await s.write(journal, claim, d.started());
  const log = await RunLog.open(journal, claim, new AbortController().signal);
  const news = processNews();
  news.journalTo(log);
  let total = 0;
  const print = (text: string, skipped = 0) => {
    const offset = total + skipped;
    const data = Buffer.from(text);
    total = offset + data.length;
    return news.printed({ processId: "p", marker: "r", offset, total, data });
  };
  const told = async () => {
    await log.refresh();
    const [state] = log.state.processes;
    return state && { live: state.live, bytes: state.bytes, status: state.status };
  };
  return { store, log, news, print, told };
}

test("[R17] what comes before the process is journaled waits for that, in order, its end too", async () => {
  const { store, log, news, print, told } = await following();
  await using _store = store;
  await print("one ");
  await print("two");
  news.exited(EXIT);
  assert.equal(await told(), undefined);
  await log.append([STARTED]);
  await until(async () => (await told())?.status === "exited", "its end");
  assert.deepEqual(await told(), { live: "one two", bytes: 7, status: "exited" });
});

test("[R17] a gap is told as one, and a letter that was cut in two is whole", async () => {
  const { store, log, news, print, told } = await following();
  await using _store = store;
  await log.append([STARTED]);
  await print("a\n");
  await print("half a line\nb\n", 100);
  const ship = Buffer.from("⛵");
  await news.printed({
    processId: "p",
    marker: "r",
    offset: 116,
    total: 117,
    data: ship.subarray(0, 1),
  });
  await news.printed({
    processId: "p",
    marker: "r",
    offset: 117,
    total: 119,
    data: ship.subarray(1),
  });
  await log.flush();
  assert.deepEqual(await told(), { live: "a\n\n…\nb\n⛵", bytes: 119, status: "running" });
});

test("[R17, X6] nothing is told of a process that ended, or after the run did", async () => {
  const { store, log, news, print, told } = await following();
  await using _store = store;
  await log.append([STARTED]);
  news.exited(EXIT);
  await until(async () => (await told())?.status === "exited", "its end");
  const { seq } = log.state;
  await print("late");
  news.exited(EXIT);
  await log.append([d.done(seq + 1)]);
  await print("later still");
  await log.refresh();
  assert.equal(log.state.seq, seq + 1, "only the run's end");
});
