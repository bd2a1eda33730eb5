// A session across its runs: exact where a cursor can be followed, a snapshot where it cannot, and live
// after either.
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import * as d from "../../../test/support/drafts.ts";
import { sqliteStore } from "../../../test/support/journal/sqlite-store.ts";
import { until } from "../../../test/support/until.ts";
import * as page from "../../../test/support/windows/webui.ts";
import * as s from "../../kernel/journal/contract/store.contract.ts";
import type { Draft } from "../../kernel/events/events.ts";

const PATH = "/api/chat/session-events?session_id=s1";

async function serving() {
  const store = sqliteStore();
  const journal = await store.connect();
  const server = await page.serveWebui(journal, store.home);
  return {
    store,
    journal,
    server,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
    },
  };
}
type At = Awaited<ReturnType<typeof serving>>;

async function say(at: At, message: string, ...drafts: Draft[]) {
  const runId = await s.start(at.journal, { message });
  const claim = await s.claimed(at.journal);
  await s.write(at.journal, claim, d.started(), d.turnStarted(1), ...drafts);
  await s.write(at.journal, claim, d.token("m1", `re ${message}`), d.said("m1", `re ${message}`));
  const seq = (await at.journal.reads.run(runId))?.seq ?? 0;
  await s.write(at.journal, claim, d.done(seq + 1, "completed", `re ${message}`));
  return runId;
}

/** Everything there is, up to a title that is given once the stream is open. Titles are left out. */
async function watched(at: At, after?: string) {
  const mark = `mark ${(marks += 1)}`;
  let over = false;
  const watching = page.watchStream(at.server, PATH, {
    ...(after !== undefined && { after }),
    until: ({ event, data }) => (over = event === "title" && data["title"] === mark),
  });
  await until(async () => {
    if (!over) await at.journal.commands.updateTitle("s1", { title: mark });
    return over;
  }, mark);
  return (await watching).emitted.filter(({ event }) => event !== "title");
}
let marks = 0;

test("[W1, W3] across runs every id goes on exactly after itself", async () => {
  await using at = await serving();
  const runs = [await say(at, "one"), await say(at, "two")];
  const all = await watched(at);
  const ends = all.filter(({ event }) => event === "stream_end").map(({ id }) => id.split(":")[0]);
  assert.deepEqual(ends, runs);
  assert.equal(new Set(all.map(({ id }) => id)).size, all.length, "ids are unique");
  const emitted = (frames: page.Emitted[]) => frames.map(({ id, event }) => `${id} ${event}`);
  for (const [index, { id }] of all.entries()) {
    assert.deepEqual(emitted(await watched(at, id)), emitted(all.slice(index + 1)), id);
  }
});

test("[W6] what cannot be followed is answered with a snapshot that says why, and goes on live", async () => {
  await using at = await serving();
  const runId = await say(at, "one");
  const elsewhere = await s.start(at.journal, { session_id: "s2" });
  const cases = {
    nonsense: "cursor_invalid",
    "1.5": "cursor_invalid",
    "run_nobody:3": "cursor_run_missing",
    [`${elsewhere}:2`]: "cursor_session_mismatch",
    [`${runId}:1`]: "cursor_event_missing",
    [`${runId}:999`]: "cursor_event_missing",
    "s1:2": "cursor_event_missing",
  };
  for (const [cursor, status] of Object.entries(cases)) {
    const emitted = await watched(at, cursor);
    assert.deepEqual(
      emitted.map(({ event }) => event),
      ["session_snapshot"],
      cursor,
    );
    assert.equal(emitted[0]?.data["status"], status, cursor);
    assert.deepEqual(page.messagesIn(emitted), ["user: one", "assistant: re one"]);
    const again = await watched(at, emitted[0]?.id);
    assert.ok(
      !again.some(({ event }) => event === "session_snapshot"),
      "its id is a place to go on",
    );
  }
  const usable = await watched(at, `${runId}:3`);
  assert.ok(usable.some(({ event }) => event === "token"));
});

test("[W6] more than 4,096 events or 4 MiB since are not told one by one", async () => {
  await using at = await serving();
  const big = "y".repeat(900_000);
  const large: Draft[] = Array.from({ length: 5 }, (_, part) => d.said(`b${part}`, big));
  const runId = await say(at, "large", ...large);
  const ended = (await at.journal.reads.session("s1"))?.seq ?? 0;
  const bytes = await watched(at);
  assert.equal(bytes[0]?.data["status"], "replay_limit_bytes");
  const later = await watched(at, `${runId}:${ended}`);
  assert.deepEqual(
    later.map(({ event }) => event),
    ["stream_end"],
  );
  for (let round = 0; round < 9; round += 1) {
    await say(at, `${round}`, ...Array.from({ length: 500 }, () => d.status("running")));
  }
  const rows = await watched(at, bytes[0]?.id);
  assert.equal(rows[0]?.data["status"], "replay_limit_rows");
});

test("[W1] a snapshot has the run that goes on as far as it is, and what comes after follows it", async () => {
  await using at = await serving();
  const runId = await s.start(at.journal, { message: "count" });
  const claim = await s.claimed(at.journal);
  await s.write(at.journal, claim, d.started(), d.turnStarted(1), d.token("m1", "1 2 "));
  const live = page.watchStream(at.server, PATH, {
    after: "bad",
    until: ({ event }) => event === "stream_end",
  });
  const first = await page.watchStream(at.server, PATH, { after: "bad", take: 1 });
  const shown = first.emitted[0]?.data["session"] as { active_stream_id: string } | undefined;
  assert.equal(shown?.active_stream_id, runId);
  assert.deepEqual(page.messagesIn(first.emitted), ["user: count", "assistant: 1 2"]);
  await s.write(at.journal, claim, d.token("m1", "3"), d.said("m1", "1 2 3"));
  await s.end(at.journal, claim);
  const { emitted } = await live;
  const text = page.textOf(emitted);
  assert.equal(emitted[0]?.event, "session_snapshot");
  assert.ok(text === "3" || text === "", "never what the snapshot already has");
  assert.deepEqual(
    emitted.slice(-2).map(({ event }) => event),
    ["done", "stream_end"],
  );
});

test("[J8, W6] a damaged run is refused with the reason; others of its session are told", async () => {
  await using at = await serving();
  const [damaged, sound] = [await say(at, "one"), await say(at, "two")];
  {
    using db = new DatabaseSync(at.store.path);
    const log = "(SELECT log_key FROM logs WHERE log_id = ?)";
    const sql = `UPDATE events SET body = replace(body, 're one', 'something else') WHERE log_key = ${log}`;
    db.prepare(sql).run(damaged);
  }
  const about = `/api/chat/stream?stream_id=${damaged}`;
  await at.journal.upkeep.verify();
  const refused = await page.ask(at.server, "GET", about);
  assert.deepEqual([refused.status, refused.body["code"]], [409, "run_quarantined"]);
  const { body } = await page.ask(at.server, "GET", `/api/chat/stream/status?stream_id=${damaged}`);
  assert.deepEqual([body["replay_available"], body["journal"]], [false, undefined]);
  const { emitted } = await page.watchChat(at.server, sound);
  assert.deepEqual(
    page.messagesIn(emitted),
    ["user: two", "assistant: re two"],
    "the other is left out",
  );
  assert.equal((await page.ask(at.server, "GET", PATH)).status, 409);
});

test("[W6] a session that is not there, or not named, is refused in the page's words", async () => {
  await using at = await serving();
  for (const path of ["/api/chat/session-events", "/api/session/stream"]) {
    for (const [query, status] of [
      ["", 400],
      ["?session_id=", 400],
      ["?session_id=../x", 400],
      ["?session_id=nobody", 404],
    ] as const) {
      const { status: got, body } = await page.ask(at.server, "GET", `${path}${query}`);
      assert.deepEqual([got, typeof body["error"]], [status, "string"], `${path}${query}`);
    }
  }
});
