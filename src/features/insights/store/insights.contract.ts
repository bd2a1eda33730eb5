// J7 and I: what was used and done is counted with the events, each of them once.
import assert from "node:assert/strict";
import { test } from "node:test";
import { storeIn } from "../../../../test/support/peer.ts";
import * as d from "../../../../test/support/drafts.ts";
import { rawSql, type RawPlace } from "../../../../test/support/journal/raw-journal.ts";
import { InsightRow, InsightTool } from "../records.ts";
import type { Draft } from "../../../kernel/events/events.ts";
import type { Journal } from "../../../kernel/journal/journal.ts";
import { slotOf } from "./projection.ts";
import * as s from "../../../kernel/journal/contract/store.contract.ts";
import { insightStore } from "./store.ts";

const storeOf = storeIn(import.meta.resolve("./store.ts"), insightStore);

const ALL = { from: 0, to: 9e9 };
const TOP = { ...ALL, limit: 50 };

function used(cost: number | null, input: number | null = 10, output: number | null = 5): Draft {
  const { type, payload } = d.used(1, null) as Extract<Draft, { type: "usage.updated" }>;
  const tokens = { input_tokens: input, output_tokens: output, cost_usd: cost, duration_ms: 250 };
  return { type, payload: { ...payload, ...tokens } };
}
const called = (call_id: string, name: string, status: "completed" | "failed" | "denied") => {
  const { type, payload } = d.toolDone(call_id, status) as Extract<Draft, { type: "tool.done" }>;
  return { type, payload: { ...payload, name } };
};
const modelError: Draft = {
  type: "turn.superseded",
  payload: { turn_id: "t1.1", reason: "model_error", message: "overloaded" },
};

/** Three runs of two sessions: priced, unpriced and failed. */
async function busyDay(journal: Journal) {
  await s.start(journal, { profile: "coder", workspace: "/a", model: "m/one" });
  const first = await s.claimed(journal);
  await s.write(journal, first, d.started(), modelError, used(0.5), used(0.25, 3, null));
  await s.write(journal, first, called("c1", "exec", "failed"), called("c2", "read", "completed"));
  await s.end(journal, first);
  await s.start(journal, { session_id: "s2", model: "m/two", workspace: "/b" });
  const second = await s.claimed(journal);
  await s.write(journal, second, d.started(), used(null, 100, 50), called("c1", "exec", "denied"));
  await s.write(journal, second, d.done(6, "failed"));
  await s.start(journal, { session_id: "s2", message: "again", model: "m/two", workspace: "/b" });
}

const figures = async (journal: Journal) => ({
  totals: await storeOf(journal).insightTotals(ALL),
  slots: await storeOf(journal).insightSlots(ALL),
  models: await storeOf(journal).insightGroups("model", TOP),
  profiles: await storeOf(journal).insightGroups("profile", TOP),
  workspaces: await storeOf(journal).insightGroups("workspace", TOP),
  sessions: await storeOf(journal).insightGroups("session", TOP),
  tools: await storeOf(journal).insightTools(TOP),
});

/** As a release before this one would have left it. */
async function asBefore(store: s.Store): Promise<void> {
  const place = store as unknown as RawPlace;
  for (const table of ["insights", "insight_tools", "insight_backlog"]) {
    await rawSql(place, `DELETE FROM ${table}`);
  }
  const behind = "SELECT log_key, seq FROM logs WHERE kind = 'run' AND seq > 0";
  await rawSql(place, `INSERT INTO insight_backlog (log_key, seq) ${behind}`);
}

export function insightsContract(name: string, open: s.OpenStore): void {
  test(`${name} [I1, J7] tokens, cost, time, tools and failures follow from the events, and made anew are the same`, async () => {
    await using store = await open();
    const journal = await store.connect();
    const before = slotOf(Date.now() / 1_000);
    await busyDay(journal);
    const emitted = await figures(journal);
    const { run_ms, ...totals } = emitted.totals;
    assert.ok(run_ms >= 0 && run_ms < 60_000, String(run_ms));
    assert.deepEqual(totals, {
      model_calls: 3,
      unpriced_calls: 1,
      model_errors: 1,
      model_ms: 750,
      input_tokens: 113,
      output_tokens: 55,
      total_tokens: 168,
      cost_usd: 0.75,
      tool_calls: 3,
      tool_failures: 1,
      tool_ms: 9,
      runs: 2,
      failed_runs: 1,
      cancelled_runs: 0,
      events: 15,
    });
    const keys = (rows: readonly { key: string }[]) => rows.map(({ key }) => key);
    assert.deepEqual(keys(emitted.models.rows), ["m/two", "m/one"], "the most tokens first");
    assert.deepEqual(keys(emitted.profiles.rows), ["default", "coder"]);
    assert.deepEqual(keys(emitted.workspaces.rows), ["/b", "/a"]);
    assert.deepEqual(
      emitted.sessions.rows.map((row) => [row.key, row.title, row.deleted, row.cost_usd]),
      [
        ["s2", "hello", false, null],
        ["s1", "hello", false, 0.75],
      ],
      "[I2] what nobody knows the price of is null, never 0",
    );
    assert.deepEqual(emitted.tools.rows, [
      { key: "exec", calls: 2, failures: 1, denied: 1, ms: 6 },
      { key: "read", calls: 1, failures: 0, denied: 0, ms: 3 },
    ]);
    for (const { slot } of emitted.slots) assert.ok(slot >= before && slot <= before + 1);
    for (const row of [...emitted.models.rows, ...emitted.sessions.rows]) InsightRow.parse(row);
    for (const row of emitted.tools.rows) InsightTool.parse(row);
    await journal.upkeep.rebuild();
    assert.deepEqual(await figures(journal), emitted);
  });

  test(`${name} [I1] a period, a session and a limit leave out the rest, and say how much`, async () => {
    await using store = await open();
    const journal = await store.connect();
    await busyDay(journal);
    const now = slotOf(Date.now() / 1_000);
    assert.equal((await storeOf(journal).insightTotals({ from: 0, to: now - 2 })).runs, 0);
    assert.equal((await storeOf(journal).insightTotals({ from: now - 2, to: now + 2 })).runs, 2);
    assert.deepEqual(await storeOf(journal).insightSlots({ from: now + 2, to: now + 9 }), []);
    const one = { ...ALL, sessionId: "s1" };
    assert.equal((await storeOf(journal).insightTotals(one)).model_calls, 2);
    assert.equal((await storeOf(journal).insightTools({ ...one, limit: 9 })).rows.length, 2);
    assert.equal((await storeOf(journal).insightTotals({ ...ALL, sessionId: "nobody" })).runs, 0);
    const first = await storeOf(journal).insightGroups("session", { ...ALL, limit: 1 });
    assert.deepEqual([first.rows.length, first.groups], [1, 2]);
    const tool = await storeOf(journal).insightTools({ ...ALL, limit: 1 });
    assert.deepEqual([tool.rows.length, tool.groups], [1, 2]);
    await journal.commands.updateSession("s1", { deleted: true });
    const deleted = (await storeOf(journal).insightGroups("session", TOP)).rows.at(-1);
    assert.deepEqual([deleted?.key, deleted?.deleted], ["s1", true], "what it cost it cost");
  });

  test(`${name} [I1b] a person's command is no run of an agent; its call counts`, async () => {
    await using store = await open();
    const journal = await store.connect();
    await s.exchange(journal, "one", used(1));
    await journal.commands.compress("s1", {});
    const claim = await s.claimed(journal);
    await s.write(journal, claim, d.started(), called("c1", "compress", "completed"));
    await s.end(journal, claim);
    const { runs, tool_calls } = await storeOf(journal).insightTotals(ALL);
    assert.deepEqual([runs, tool_calls], [1, 1]);
  });

  test(`${name} [I3] runs of an earlier release are counted later, each event once, whoever counts`, async () => {
    await using store = await open();
    const journal = await store.connect();
    await busyDay(journal);
    const going = await s.claimed(journal);
    await s.write(journal, going, d.started(), used(1));
    await asBefore(store);
    assert.equal(await storeOf(journal).uncountedRuns(), 3);
    assert.equal((await storeOf(journal).insightTotals(ALL)).model_calls, 0);
    await s.write(journal, going, used(2)); // an open run goes on: this one is counted as it comes
    const other = await store.connect();
    await Promise.all([storeOf(journal).countOlderRuns(), storeOf(other).countOlderRuns()]);
    while ((await storeOf(journal).countOlderRuns()) > 0);
    assert.equal(await storeOf(journal).uncountedRuns(), 0);
    await s.end(journal, going);
    const counted = await figures(journal);
    assert.equal(counted.totals.model_calls, 5);
    await journal.upkeep.rebuild();
    assert.deepEqual(await figures(journal), counted);
  });

  test(`${name} [I3] what is made anew is not counted once more`, async () => {
    await using store = await open();
    const journal = await store.connect();
    await busyDay(journal);
    const before = await figures(journal);
    await asBefore(store);
    await journal.upkeep.rebuild();
    assert.equal(await storeOf(journal).countOlderRuns(), 0);
    assert.deepEqual(await figures(journal), before);
  });

  test(`${name} [I5] what is open and how much was written is told of one moment`, async () => {
    await using store = await open();
    const journal = await store.connect();
    await busyDay(journal);
    const claim = await s.claimed(journal);
    await s.write(journal, claim, d.started(), d.approvalAsked("c1"));
    await s.start(journal, { session_id: "s3" });
    const now = slotOf(Date.now() / 1_000);
    const emitted = { open: { queued: 1, running: 1 }, unclaimed: 1, pending: 1 };
    assert.deepEqual(await storeOf(journal).journalFigures(0), { ...emitted, events: 21 });
    assert.deepEqual(await storeOf(journal).journalFigures(now + 2), { ...emitted, events: 6 });
  });
}
