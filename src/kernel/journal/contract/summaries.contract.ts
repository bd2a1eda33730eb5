// J7, W1: lists of sessions show what the events say, with any filter.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as d from "../../../../test/support/drafts.ts";
import { SessionSummary, UsageTotals } from "../../api/records/records.ts";
import type { StartRun } from "../../events/commands.ts";
import type { Draft } from "../../events/events.ts";
import type { Journal, SessionQuery } from "../journal.ts";
import * as s from "./store.contract.ts";

const used = (input: number | null, output: number | null, cost: number | null): Draft => {
  const { type, payload } = d.used(1, null) as Extract<Draft, { type: "usage.updated" }>;
  return {
    type,
    payload: { ...payload, input_tokens: input, output_tokens: output, cost_usd: cost },
  };
};
const attachments = [1, 2].map((at) => ({ name: `${at}.txt`, media_type: "text/plain" }));

/** Starts a run, claims it, writes, and ends it. */
async function ran(journal: Journal, command: Partial<StartRun>, ...did: Draft[]) {
  const runId = await s.start(journal, command);
  const claim = await s.claimed(journal);
  await s.write(journal, claim, d.started(), ...did);
  await s.end(journal, claim);
  return runId;
}

const ALL = { limit: 50, offset: 0 };
async function found(journal: Journal, query: Partial<SessionQuery>): Promise<string[]> {
  const { sessions, total } = await journal.reads.sessionSummaries({ ...ALL, ...query });
  const ids = sessions.map(({ session_id }) => session_id);
  assert.equal(total, ids.length, JSON.stringify(query));
  return ids;
}

export function summariesContract(name: string, open: s.OpenStore): void {
  test(`${name} [J7] a summary is what was said and used in the session, subagents included`, async () => {
    await using store = await open();
    const { journal, runId, claim } = await s.withRun(store);
    const work = [d.toolStarted("c1"), d.toolStarted("c2"), used(10, 5, 0.5), used(null, 2, null)];
    await s.write(journal, claim, d.started(), ...work, d.said("m1", "first answer"));
    await s.write(journal, claim, d.said("m2", "  "), d.used(2, 100));
    await journal.startChild({ runId: "run_child", parent: claim, message: "look" });
    const child = await s.claimed(journal, { childrenOnly: true });
    await s.write(journal, child, used(1, 1, 0.25), d.toolStarted("c1"), d.said("m1", "seen"));
    await journal.commands.queueMessage(runId, { message: "hurry", mode: "steer" });
    await s.start(journal, { message: "next", attachments });

    const summary = await journal.reads.sessionSummary("s1");
    assert.deepEqual(summary, {
      ...(await journal.reads.session("s1")),
      deleted: false,
      messages: 4,
      preview: "next",
      input_tokens: 11,
      output_tokens: 8,
      total_tokens: 119,
      cost_usd: 0.75,
      tool_calls: 3,
      attachments: 2,
      subagents: 1,
    });
    assert.deepEqual(SessionSummary.parse(summary), summary);
    assert.deepEqual((await journal.reads.sessionSummaries(ALL)).sessions, [summary]);
    await journal.upkeep.rebuild();
    assert.deepEqual(await journal.reads.sessionSummary("s1"), summary);
    assert.equal(await journal.reads.sessionSummary("nobody"), undefined);
  });

  test(`${name} [J7, C8, C12] the preview is the newest words that count`, async () => {
    await using store = await open();
    const journal = await store.connect();
    await journal.commands.createSession({ session_id: "s1" }, s.DEFAULTS);
    const emitted = async () => {
      const { preview, messages } = (await journal.reads.sessionSummary("s1")) ?? {};
      return [preview, messages];
    };
    assert.deepEqual(await emitted(), ["", 0]);
    await s.exchange(journal, "one");
    assert.deepEqual(await emitted(), ["re: one", 2]);
    await s.exchange(journal, `two ${"é".repeat(300)}`);
    const [long] = await emitted();
    assert.equal(long, `re: two ${"é".repeat(192)}`);
    await journal.commands.undo("s1", {});
    assert.deepEqual(await emitted(), ["re: one", 2]);
    const runId = await s.start(journal, { message: "three", message_id: "k" });
    assert.deepEqual(await emitted(), ["three", 3]);
    await journal.commands.editMessage({ runId, messageId: "k" }, { text: "four" });
    assert.deepEqual(await emitted(), ["four", 3]);
    await journal.commands.editMessage({ runId, messageId: "k" }, { text: null });
    assert.deepEqual(await emitted(), ["re: one", 2]);
    await journal.commands.compress("s1", {});
    assert.deepEqual(await emitted(), ["re: one", 2], "a command is not conversation");
  });

  test(`${name} [J7, W1] every filter alone, and all of them together`, async () => {
    await using store = await open();
    const journal = await store.connect();
    const tools = [d.intent("c1"), d.toolStarted("c1"), d.toolDone("c1")];
    const said = (text: string) => d.said("m1", text);
    await ran(journal, { session_id: "a", message: "Grüße an Bord", source: "cli" }, ...tools);
    await ran(
      journal,
      { session_id: "b", message: "hoist 100% of_it", workspace: "/b", model: "m/x" },
      said("The mainsail is up"),
    );
    await ran(
      journal,
      { session_id: "c", message: "mainsail?", source: "cli", workspace: "/b", model: "m/x" },
      ...tools,
    );
    await ran(journal, { session_id: "gone", message: "mainsail", source: "cli" }, ...tools);
    await journal.commands.updateSession("gone", { deleted: true });

    assert.deepEqual(await found(journal, {}), ["c", "b", "a"]);
    assert.deepEqual(await found(journal, { source: "cli" }), ["c", "a"]);
    assert.deepEqual(await found(journal, { source: "nobody" }), []);
    assert.deepEqual(await found(journal, { workspace: "/b" }), ["c", "b"]);
    assert.deepEqual(await found(journal, { model: "m/x" }), ["c", "b"]);
    assert.deepEqual(await found(journal, { model: "x" }), ["c", "b"], "the bare name");
    assert.deepEqual(await found(journal, { model: "m" }), []);
    assert.deepEqual(await found(journal, { hasTools: true }), ["c", "a"]);
    assert.deepEqual(await found(journal, { hasTools: false }), ["b"]);
    assert.deepEqual(await found(journal, { q: "MAINSAIL" }), ["c", "b"], "title or message");
    assert.deepEqual(await found(journal, { q: "ainsai" }), ["c"], "within a word of the title");
    assert.deepEqual(await found(journal, { q: "grusse" }), [], "ß is no ss");
    assert.deepEqual(await found(journal, { q: "GRÜ" }), ["a"]);
    assert.deepEqual(await found(journal, { q: "grüße AN" }), ["a"]);
    assert.deepEqual(await found(journal, { q: "sail up main" }), [], "words begin as typed");
    assert.deepEqual(await found(journal, { q: "up mainsail" }), ["b"], "any order");
    assert.deepEqual(await found(journal, { q: "100% OF_" }), ["b"], "nothing in it is a pattern");
    assert.deepEqual(await found(journal, { q: "%" }), ["b"]);
    assert.deepEqual(await found(journal, { q: '" OR NEAR(' }), []);
    assert.deepEqual(await found(journal, { q: "  " }), ["c", "b", "a"]);
    const all = { source: "cli", workspace: "/b", model: "m/x", hasTools: true, q: "main" };
    assert.deepEqual(await found(journal, all), ["c"]);
    assert.deepEqual(await found(journal, { ...all, hasTools: false }), []);

    s.later();
    await journal.commands.updateTitle("a", { title: "Renamed" });
    assert.deepEqual(await found(journal, { q: "renamed" }), ["a"]);
    await journal.upkeep.rebuild();
    assert.deepEqual(await found(journal, { q: "renamed" }), ["a"]);
    assert.deepEqual(await found(journal, { hasTools: true }), ["a", "c"]);
  });

  test(`${name} [J7] pages have the order of the list, and their total is of all`, async () => {
    await using store = await open();
    const journal = await store.connect();
    for (let at = 0; at < 9; at += 1) {
      const source = at % 3 === 0 ? "cli" : "api";
      await journal.commands.createSession({ session_id: `s${at}`, source }, s.DEFAULTS);
    }
    s.later();
    await journal.commands.updateTitle("s4", { title: "newest" });
    await journal.commands.updateSession("s5", { deleted: true });
    const order = ["s4", "s8", "s7", "s6", "s3", "s2", "s1", "s0"];
    for (const [limit, offset] of [
      [3, 0],
      [3, 3],
      [3, 7],
      [1, 8],
      [50, 2],
    ] as const) {
      const { sessions, total } = await journal.reads.sessionSummaries({ limit, offset });
      const ids = sessions.map(({ session_id }) => session_id);
      assert.deepEqual([ids, total], [order.slice(offset, offset + limit), 8]);
      const list = await journal.reads.sessions({ limit, offset });
      assert.deepEqual(
        list.map(({ session_id }) => session_id),
        ids,
      );
    }
    const page = await journal.reads.sessionSummaries({ source: "cli", limit: 1, offset: 1 });
    assert.deepEqual([page.sessions[0]?.session_id, page.total], ["s3", 3]);
    const heads = new Map(
      (await journal.reads.sessions(ALL)).map(({ session_id, seq }) => [session_id, seq]),
    );
    assert.deepEqual(await journal.reads.sessionHeads(), heads);
  });

  test(`${name} [J7] usage counts by when it was used`, async () => {
    await using store = await open();
    const { journal, claim } = await s.withRun(store);
    const none = { input_tokens: 0, output_tokens: 0, total_tokens: 0, cost_usd: 0, runs: 0 };
    assert.deepEqual(await journal.reads.usageSince(0), none);
    await s.write(journal, claim, used(10, 5, 0.5), d.used(2, 100));
    const at = (await s.sessionEvents(journal)).at(-1)?.created_at ?? 0;
    const first = { input_tokens: 10, output_tokens: 5, total_tokens: 115, cost_usd: 0.5, runs: 1 };
    assert.deepEqual(await journal.reads.usageSince(at), first, "from that moment on");
    s.later();
    await s.write(journal, claim, used(1, 1, null));
    await ran(journal, { session_id: "s2" }, used(2, 2, 0.25));
    const all = { input_tokens: 13, output_tokens: 8, total_tokens: 121, cost_usd: 0.75, runs: 2 };
    assert.deepEqual(await journal.reads.usageSince(0), all);
    assert.deepEqual(UsageTotals.parse(all), all);
    const rest = { input_tokens: 3, output_tokens: 3, total_tokens: 6, cost_usd: 0.25, runs: 2 };
    assert.deepEqual(await journal.reads.usageSince(at + 0.0005), rest);
    await journal.upkeep.rebuild();
    assert.deepEqual(await journal.reads.usageSince(0), all);
    assert.deepEqual(await journal.reads.usageSince(Date.now() / 1000 + 60), none);
  });
}
