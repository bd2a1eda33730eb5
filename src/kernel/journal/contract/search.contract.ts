// Q1 to Q5, J7: a search finds messages, actions and errors by their words, and only what the searcher may see.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as d from "../../../../test/support/drafts.ts";
import type { Draft, PayloadOf } from "../../events/events.ts";
import type { Journal, SearchQuery } from "../journal.ts";
import * as s from "./store.contract.ts";

const ask = (journal: Journal, q: string, more: Partial<SearchQuery> = {}) =>
  journal.reads.search({ q, limit: 10, ...more });

/** Session, kind and snippet with what is marked in brackets. */
async function found(journal: Journal, q: string, more: Partial<SearchQuery> = {}) {
  return (await ask(journal, q, more)).hits.map(({ session_id, kind, snippet, marks }) => {
    const shown = marks.toReversed().reduce((text, [from, to]) => {
      return `${text.slice(0, from)}[${text.slice(from, to)}]${text.slice(to)}`;
    }, snippet);
    return `${session_id} ${kind} ${shown}`;
  });
}
const sorted = async (journal: Journal, q: string, more: Partial<SearchQuery> = {}) =>
  (await found(journal, q, more)).toSorted();

const call = (
  call_id: string,
  name: string,
  given: PayloadOf<"tool.intent">["plan"]["arguments"],
) =>
  ({
    type: "tool.intent",
    payload: {
      ...(d.intent(call_id) as { payload: PayloadOf<"tool.intent"> }).payload,
      name,
      label: `Use ${name}`,
      plan: { tool: name, arguments: given, workspace: "/w" },
    },
  }) as Draft;
const answer = (call_id: string, name: string, head: string, failure: string | null = null) =>
  ({
    type: "tool.done",
    payload: {
      ...(
        d.toolDone(call_id, failure === null ? "completed" : "failed") as Extract<
          Draft,
          { type: "tool.done" }
        >
      ).payload,
      name,
      output: { head, tail: "", bytes: head.length, sha256: null, truncated: false },
      error: failure === null ? null : { code: "exit", message: failure },
    },
  }) as Draft;

/** Each word has letters that consist of several code points. */
const SCRIPTS = [
  "한국어 검색",
  "東京 ガイドブック",
  "Новый йогурт",
  "Η ιστορία του Σίσυφου",
  "हिन्दी भाषा",
  "كتاب أحمد",
  "ภาษาที่ใช้",
  "tiếng Việt",
  "cafe\u0301 crème",
];

export function searchContract(name: string, open: s.OpenStore): void {
  words(name, open);
  kinds(name, open);
  filters(name, open);
  pages(name, open);
  keeping(name, open);
}

function words(name: string, open: s.OpenStore): void {
  test(`${name} [Q1, J7] words in any order, half a last word, phrases and what is not wanted`, async () => {
    await using store = await open();
    const journal = await store.connect();
    await s.exchange(journal, "The Élan sails at dawn");
    await s.start(journal, { session_id: "s2", profile: "work", message: "dawn at work" });
    const said = "s1 message The [Élan] sails at [dawn]";
    for (let round = 0; round < 2; round += 1) {
      assert.deepEqual(await found(journal, "dawn elan"), [
        said,
        "s1 message re: The [Élan] sails at [dawn]",
      ]);
      assert.deepEqual(await found(journal, "re daw"), [
        "s1 message [re]: The Élan sails at [dawn]",
      ]);
      assert.deepEqual(await found(journal, "daw re"), [], "only the last may be half a word");
      assert.deepEqual(await found(journal, '"sails at dawn" -re'), [
        "s1 message The Élan [sails] [at] [dawn]",
      ]);
      assert.deepEqual(await found(journal, '"dawn sails"'), []);
      assert.deepEqual(await found(journal, '-"sails at" dawn'), ["s2 message [dawn] at work"]);
      assert.deepEqual(await found(journal, "dawn", { profile: "work" }), [
        "s2 message [dawn] at work",
      ]);
      assert.deepEqual(await found(journal, "ÉLA", { profile: "work" }), []);
      assert.equal((await found(journal, "w")).length, 1, "a single letter begins a word");
      await journal.upkeep.rebuild();
    }
  });

  test(`${name} [Q1a] words of every script are found, whole, begun, and however they are written`, async () => {
    await using store = await open();
    const journal = await store.connect();
    for (const [index, text] of SCRIPTS.entries()) {
      await s.start(journal, { session_id: `s${index}`, message: text });
    }
    for (const [index, text] of SCRIPTS.entries()) {
      const last = text.split(" ").at(-1) ?? "";
      const asked = [text, `${last} `, `"${text}"`, text.toUpperCase(), text.normalize("NFD")];
      const begun = last.slice(0, -1);
      for (const q of [...asked, begun, begun.normalize("NFD")]) {
        const sessions = (await ask(journal, q)).hits.map(({ session_id }) => session_id);
        assert.deepEqual(sessions, [`s${index}`], q);
      }
    }
  });

  test(`${name} [Q1b] whatever is asked for, the answer is hits or none`, async () => {
    await using store = await open();
    const journal = await store.connect();
    await s.exchange(journal, "dawn 🌅 日本語 straße");
    const hostile = [
      ['"', '" OR 1', "dawn NOT", "NEAR(", "text:", "about : x", "*", "\0", "´`'--", "\u0301", "^"],
      ["\ud800", "(((", "dawn AND", "col : x", "-", '-"', '-"" -', "-dawn", '"-"', "!!! ??? …"],
      ["🌅", "\uE0C5\uE0C5\uE0C5kmessage", "dawn:*", "'dawn'", "dawn & !x | y", "\\", "<->", "%s"],
      ["a".repeat(9_000), "a ".repeat(10_000), `${"x".repeat(700)} dawn`, "dawn\u0000dawn"],
    ].flat();
    for (const q of hostile) {
      const { hits, next } = await ask(journal, q);
      assert.ok(hits.length <= 10, q.slice(0, 20));
      assert.equal(typeof next === "string" || next === null, true);
    }
    assert.deepEqual(await found(journal, "-dawn"), []);
    assert.equal((await found(journal, "日本")).length, 2);
    assert.equal((await found(journal, "🌅 dawn")).length, 2);
    for (const limit of [0, -5, Number.NaN])
      assert.deepEqual(await found(journal, "dawn", { limit }), []);
    for (const cursor of ["", "x", "1", "-1.0", "9.9999", "999999999999999.0"]) {
      assert.ok((await ask(journal, "dawn", { cursor })).hits.length <= 2, cursor);
    }
  });
}

function kinds(name: string, open: s.OpenStore): void {
  test(`${name} [Q2] messages, tools' arguments and answers, files and errors, each with its event`, async () => {
    await using store = await open();
    const journal = await store.connect();
    const long = `${"x ".repeat(2_000)}anchor${" y".repeat(20_000)} keelhaul`;
    const runId = await s.exchange(
      journal,
      "weigh it",
      d.token("m1", "anchor in pieces "),
      call("c1", "exec", { command: "grep anchor", deep: [{ in: "capstan" }] }),
      answer("c1", "exec", "anchor printed"),
      d.changed("c1", "src/anchor/chain.ts", "b.txt"),
      call("c2", "read", { path: "hold.txt" }),
      answer("c2", "read", long, "no such anchor"),
      d.failed("anchor_lost"),
      {
        ...d.superseded(1),
        payload: { turn_id: "t1.1", reason: "model_error", message: "anchor away" },
      } as Draft,
    );
    const { hits } = await ask(journal, "anchor");
    const events = await s.runEvents(journal, runId);
    const typeAt = (seq: number) => events.find((event) => event.seq === seq)?.type;
    assert.deepEqual(
      hits
        .map(({ seq, kind, role, tool }) => `${typeAt(seq)} ${kind} ${role} ${tool ?? "-"}`)
        .toSorted(),
      [
        "error error system -",
        "files.changed file tool -",
        "tool.done error tool read",
        "tool.done tool tool exec",
        "tool.intent tool tool exec",
        "turn.superseded error system -",
      ],
      "and nothing that was streamed in pieces",
    );
    assert.deepEqual([hits[0]?.title, hits[0]?.run_id], ["weigh it", runId]);
    assert.deepEqual(await found(journal, "capstan"), ["s1 tool grep anchor\n[capstan]"]);
    assert.deepEqual(await found(journal, "chain.ts"), ["s1 file src/anchor/[chain].[ts]\nb.txt"]);
    assert.equal((await found(journal, "keelhaul")).length, 1, "the end of a long answer is found");
    const only = async (more: Partial<SearchQuery>) =>
      (await ask(journal, "anchor", more)).hits.map(({ kind }) => kind).toSorted();
    assert.deepEqual(await only({ kind: ["file"] }), ["file"]);
    assert.deepEqual(await only({ kind: ["tool", "file"] }), ["file", "tool", "tool"]);
    assert.deepEqual(await only({ role: "system" }), ["error", "error"]);
    assert.deepEqual(await only({ tool: "read" }), ["error"]);
    assert.deepEqual(await only({ tool: "nobody" }), []);
    assert.deepEqual(await only({ kind: ["message"] }), []);
  });
}

function filters(name: string, open: s.OpenStore): void {
  test(`${name} [Q2c] narrowed by session, profile, workspace, project and time`, async () => {
    await using store = await open();
    const journal = await store.connect();
    await journal.commands.createProject({ project_id: "proj_1", name: "P" });
    await s.start(journal, { session_id: "s1", message: "lantern one" });
    s.later();
    await s.start(journal, { session_id: "s2", message: "lantern two", profile: "other" });
    s.later();
    await s.start(journal, { session_id: "s3", message: "lantern three", workspace: "/deep/hold" });
    await journal.commands.updateSession("s3", { project_id: "proj_1" });
    const of = async (more: Partial<SearchQuery>) =>
      (await ask(journal, "lantern", more)).hits.map(({ session_id }) => session_id).toSorted();
    assert.deepEqual(await of({}), ["s1", "s2", "s3"]);
    assert.deepEqual(await of({ sessionId: "s2" }), ["s2"]);
    assert.deepEqual(await of({ sessionId: "nobody" }), []);
    assert.deepEqual(await of({ profile: "other" }), ["s2"]);
    assert.deepEqual(await of({ workspace: "/deep/hold" }), ["s3"]);
    assert.deepEqual(await of({ workspace: "/deep" }), []);
    assert.deepEqual(await of({ project: "proj_1" }), ["s3"]);
    assert.deepEqual(await of({ project: "proj_none" }), []);
    const { created_at } = (await ask(journal, "two")).hits[0] ?? { created_at: 0 };
    assert.deepEqual(await of({ since: created_at, until: created_at }), ["s2"]);
    assert.deepEqual(await of({ until: created_at }), ["s1", "s2"]);
    assert.deepEqual(await of({ since: created_at }), ["s2", "s3"]);
    assert.deepEqual(await of({ since: created_at + 90 * 86_400 }), []);
    assert.deepEqual(await of({ until: 1_000 }), []);
    assert.deepEqual(await of({ since: created_at - 9_000 * 86_400 }), ["s1", "s2", "s3"]);
    assert.deepEqual(await of({ since: 2, until: 1 }), []);
  });
}

function pages(name: string, open: s.OpenStore): void {
  test(`${name} [Q3a] pages have every hit once, the best first, also while more is said`, async () => {
    await using store = await open();
    const journal = await store.connect();
    const runId = await s.start(journal, { message: "begin" });
    const claim = await s.claimed(journal);
    const texts = Array.from({ length: 430 }, (_, index) => `buoy ${index}`);
    await s.write(
      journal,
      claim,
      d.started(),
      ...texts.map((text, index) => d.said(`m${index}`, text)),
    );
    await s.write(
      journal,
      claim,
      d.said("best", "buoy buoy buoy"),
      d.said("worst", `buoy ${"z ".repeat(900)}`),
    );
    assert.equal((await ask(journal, "buoy")).hits[0]?.snippet, "buoy buoy buoy");
    const seen: number[] = [];
    let cursor: string | null = null;
    for (let page = 0; page === 0 || cursor !== null; page += 1) {
      const answered: Awaited<ReturnType<Journal["reads"]["search"]>> = await ask(journal, "buoy", {
        limit: 50,
        ...(cursor !== null && { cursor }),
      });
      seen.push(...answered.hits.map(({ seq }) => seq));
      cursor = answered.next;
      await s.write(journal, claim, d.said(`late${page}`, "buoy late"));
      assert.ok(page < 20, "it ends");
    }
    assert.equal(seen.length, 432);
    assert.equal(new Set(seen).size, 432);
    assert.equal((await ask(journal, "buoy", { limit: 1_000 })).hits.length, 100);
    assert.equal((await journal.reads.run(runId))?.status, "running");
  });

  test(`${name} [Q3b] of each session only the best hit, with how many it stands for`, async () => {
    await using store = await open();
    const journal = await store.connect();
    await s.exchange(journal, "reef ahead");
    await s.exchange(journal, "reef reef astern");
    await s.start(journal, { session_id: "s2", message: "reef" });
    const { hits } = await ask(journal, "reef", { bySession: true });
    assert.deepEqual(hits.map(({ session_id, more }) => `${session_id} ${more}`).toSorted(), [
      "s1 3",
      "s2 0",
    ]);
  });
}

function keeping(name: string, open: s.OpenStore): void {
  test(`${name} [Q4] what was edited, taken back, deleted or is a command is not found by its words`, async () => {
    await using store = await open();
    const journal = await store.connect();
    const waiting = await s.start(journal, { session_id: "s3", message: "dusk", message_id: "k" });
    await journal.commands.editMessage({ runId: waiting, messageId: "k" }, { text: "noon" });
    const gone = await s.start(journal, { session_id: "s4", message: "midnight", message_id: "k" });
    await journal.commands.editMessage({ runId: gone, messageId: "k" }, { text: null });
    await s.start(journal, { session_id: "s5", message: "noon too" });
    await journal.commands.updateSession("s5", { deleted: true });
    for (let round = 0; round < 2; round += 1) {
      assert.deepEqual(await found(journal, "dusk"), [], "what it said before is not found");
      assert.deepEqual(await found(journal, "noon", { profile: "default" }), ["s3 message [noon]"]);
      assert.deepEqual(await found(journal, "midnight"), []);
      await journal.upkeep.rebuild();
    }
    await journal.commands.updateSession("s5", { deleted: false });
    assert.equal((await found(journal, "noon")).length, 2);
    const { sessions } = await journal.reads.sessionSummaries({ q: "noo", limit: 5, offset: 0 });
    assert.deepEqual(sessions.map(({ session_id }) => session_id).toSorted(), ["s3", "s5"]);
  });

  test(`${name} [Q5] the index made anew finds what the one kept with the events finds`, async () => {
    await using store = await open();
    const journal = await store.connect();
    for (let index = 0; index < 12; index += 1) {
      await s.exchange(journal, `sail ${index}`, answer(`c${index}`, "exec", `sail set ${index}`));
    }
    const before = await ask(journal, "sail", { limit: 100 });
    assert.equal(before.hits.length, 36);
    await journal.upkeep.rebuild();
    const after = await ask(journal, "sail", { limit: 100 });
    assert.deepEqual({ ...after, next: null }, { ...before, next: null });
    assert.equal(await journal.upkeep.indexOlder(), 0);
    assert.equal(after.indexing, false);
    await s.exchange(journal, "sail on");
    assert.equal((await sorted(journal, '"sail on"')).length, 2);
    const other = await store.connect();
    assert.equal((await ask(other, "sail", { limit: 100 })).hits.length, 38);
  });
}
