import assert from "node:assert/strict";
import { test } from "node:test";
import * as d from "../../../../test/support/drafts.ts";
import { sqliteStore } from "../../../../test/support/journal/sqlite-store.ts";
import { until } from "../../../../test/support/until.ts";
import * as s from "../../journal/contract/store.contract.ts";
import { createRedactor } from "../../redact/redact.ts";
import { endProcesses } from "../../run/loop/finish-run.ts";
import { processEvents } from "./process-events.ts";
import { RunLog } from "../../run/loop/run-log.ts";
import type { ToolHost } from "./tool-host/client.ts";

const STARTED = {
  type: "process.started",
  payload: { process_id: "p", call_id: "c1", command: "yes" },
} as const;
const EXIT = { processId: "p", marker: "r", exit_code: 0, signal: null, stderr: "" };

async function following(...secrets: string[]) {
  const store = sqliteStore();
  const { journal, claim } = await s.withRun(store);
  await s.write(journal, claim, d.started());
  // The journal itself redacts nothing: what this test reads is what was handed to it.
  const redactor = createRedactor(secrets.map((value) => ({ name: "KEY", value })));
  const log = await RunLog.open({ ...journal, redactor }, claim, new AbortController().signal);
  const news = processEvents();
  news.journalTo(log);
  let total = 0;
  const print = (text: string, skipped = 0) => {
    const offset = total + skipped;
    const data = Buffer.from(text);
    total = offset + data.length;
    return news.printed({ processId: "p", marker: "r", offset, total, data });
  };
  const emitted = async () => {
    await log.refresh();
    const [state] = log.state.processes;
    return state && { live: state.live, bytes: state.bytes, status: state.status };
  };
  return { store, log, news, print, emitted };
}

test("[R17] what comes before the process is journaled waits for that, in order, its end too", async () => {
  const { store, log, news, print, emitted } = await following();
  await using _store = store;
  await print("one ");
  await print("two");
  news.exited(EXIT);
  assert.equal(await emitted(), undefined);
  await log.append([STARTED]);
  await until(async () => (await emitted())?.status === "exited", "its end");
  assert.deepEqual(await emitted(), { live: "one two", bytes: 7, status: "exited" });
});

test("[R17b] a gap is told as one, and a letter that was cut in two is whole", async () => {
  const { store, log, news, print, emitted } = await following();
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
  assert.deepEqual(await emitted(), { live: "a\n\n…\nb\n⛵", bytes: 119, status: "running" });
});

test("[R17c, X6] nothing is told of a process that ended, or after the run did", async () => {
  const { store, log, news, print, emitted } = await following();
  await using _store = store;
  await log.append([STARTED]);
  news.exited(EXIT);
  await until(async () => (await emitted())?.status === "exited", "its end");
  const { seq } = log.state;
  await print("late");
  news.exited(EXIT);
  await log.append([d.done(seq + 1)]);
  await print("later still");
  await log.refresh();
  assert.equal(log.state.seq, seq + 1, "only the run's end");
});

test("[R12] a command that ends with its run has ended once, whoever notices first", async () => {
  const { store, log, news } = await following();
  await using _store = store;
  await log.append([STARTED]);
  // A tool host that tells of the end before it answers, as its pipe does.
  const host: ToolHost = {
    async call() {
      news.exited({ ...EXIT, exit_code: null, signal: "SIGTERM" });
      return { ok: true, result: {} };
    },
    open: () => Promise.reject(new Error("nothing is opened here")),
    rest: async () => undefined,
    fixed: [],
    pid: undefined,
    [Symbol.asyncDispose]: async () => undefined,
  };
  await endProcesses(log, { host: () => host, claimedUntil: () => 1n << 62n });
  await log.refresh();
  assert.equal(log.state.processes[0]?.status, "exited", "before the run may end");
  await log.append([d.token("m", "after")]); // whatever was still on its way is before it
  const events = await s.runEvents(log.journal, log.claim.runId);
  const exits = events.filter(({ type }) => type === "process.exited");
  assert.deepEqual(
    exits.map(({ payload }) => (payload as { signal: string }).signal),
    ["SIGTERM"],
  );
});

const PEM = ["-----BEGIN KEY-----", "MIIEabc123", "QIDAQdef456", "zzTail789", "-----END KEY-----"];

test("[S, R17] of a key of several lines that a gap cuts nothing is told, wherever it is cut", async () => {
  for (let from = 1; from < PEM.join("\n").length; from += 7) {
    const { store, log, print, emitted } = await following(PEM.join("\n"));
    await using _store = store;
    await log.append([STARTED]);
    await print("before\n");
    const rest = PEM.join("\n").slice(from);
    const plain = Array.from({ length: 9 }, (_, at) => `line ${at}\n`).join("");
    await print(rest.slice(0, 15), 100 + from);
    await print(`${rest.slice(15)}\n${PEM.join("\n")}\n${plain}`);
    await log.flush();
    const { live = "" } = (await emitted()) ?? {};
    for (const line of PEM) assert.ok(!live.includes(line.slice(-5)), `${from}: ${live}`);
    assert.match(live, /^before\n\n…\n(\[redacted:KEY\]\n)?(line \d\n)*line 8\n$/);
  }
});

test("[S, R17] a key that begins in what is left out after a gap, and goes on beyond it, is no key", async () => {
  const { store, log, print, emitted } = await following(PEM.join("\n"));
  await using _store = store;
  await log.append([STARTED]);
  await print(`half\none\ntwo\nthree\n${PEM.join("\n")}\nend\n`, 100);
  await log.flush();
  const { live = "" } = (await emitted()) ?? {};
  assert.match(live, /end\n$/);
  assert.doesNotMatch(live, /MIIE|QIDA|zzTail|END KEY/);
});

test("[S, R17] a key of one line costs the cut line, also when that comes in pieces", async () => {
  const { store, log, news, print, emitted } = await following("hunter2-hunter2");
  await using _store = store;
  await log.append([STARTED]);
  await print("ter2-hun", 100);
  await print("ter2\nshown\n");
  await log.flush();
  assert.equal((await emitted())?.live, "\n…\nshown\n");
  await print("unter2 no line ", 100);
  await print("x".repeat(1_000));
  await print("⛵ goes on");
  await log.flush();
  assert.match(
    (await emitted())?.live ?? "",
    /shown\n\n…\n⛵ goes on$/,
    "it does not wait for ever",
  );
  await print("unter2-hunter", 100);
  news.exited(EXIT);
  await until(async () => (await emitted())?.status === "exited", "its end");
  assert.match((await emitted())?.live ?? "", /goes on\n…\n$/);
});

test("[S, R17] a long key of one line is several lines of base64", async () => {
  const key = "k3y-".repeat(40);
  const wrapped = Buffer.from(key).toString("base64").replaceAll(/.{64}/g, "$&\n");
  const { store, log, print, emitted } = await following(key);
  await using _store = store;
  await log.append([STARTED]);
  await print(`${wrapped.slice(30)}\n${"plain\n".repeat(9)}`, 100);
  await log.flush();
  assert.match((await emitted())?.live ?? "", /^\n…\n(plain\n)+$/);
});
