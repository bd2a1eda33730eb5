// The past in one body: what the journal has, once and in order, to whoever takes it; and what ends it.
import assert from "node:assert/strict";
import { connect, type AddressInfo } from "node:net";
import { DatabaseSync } from "node:sqlite";
import { once } from "node:events";
import { test } from "node:test";
import Fastify from "fastify";
import * as d from "../../../../test/support/drafts.ts";
import { sqliteStore } from "../../../../test/support/journal/sqlite-store.ts";
import { until } from "../../../../test/support/until.ts";
import * as s from "../../journal/contract/store.contract.ts";
import type { Claim, Journal } from "../../journal/journal.ts";
import type { FeedFrame } from "../../api/records/feed.ts";
import type { RunEvent } from "../../events/events.ts";
import { foldHash } from "../../state/fold-hash.ts";
import {
  emptyFolded,
  foldEvents,
  fromFoldedSnapshot,
  toFoldedSnapshot,
  type FoldedSnapshot,
} from "../../state/folded.ts";
import { REDUCER_VERSION } from "../../events/version.ts";
import { sessionsApi } from "../../api/routes/sessions.ts";
import { mount } from "../mount.ts";
import { sendPast } from "./feed-history.ts";
import { tails, type Subscriber } from "./tail.ts";

type Line = FeedFrame | RunEvent;

async function serve(journal: Journal, { heartbeatMs = 60_000 } = {}) {
  const errors: unknown[] = [];
  const logError = (error: unknown) => void errors.push(error);
  const open = new Set<Subscriber>();
  const following = tails(journal, logError);
  const streams = { tails: following, heartbeatMs, epoch: journal.epoch, open };
  const app = Fastify({ forceCloseConnections: true });
  const { readPast } = sessionsApi;
  const routes = mount(
    { readPast },
    {
      readPast: ({ params, query, reply }) =>
        sendPast({ journal, streams, logError }, { ...params, ...query }, reply),
    },
  );
  await app.register(routes, { prefix: "/api" });
  await app.listen({ port: 0, host: "127.0.0.1" });
  const { port } = app.server.address() as AddressInfo;
  const pathOf = (id: string) => `/api/sessions/${id}/past`;
  return {
    errors,
    open,
    port,
    pathOf,
    async past(id: string, query = ""): Promise<Line[]> {
      const response = await fetch(`http://127.0.0.1:${port}${pathOf(id)}${query}`);
      assert.equal(response.status, 200);
      const lines = (await response.text()).split("\n").slice(0, -1);
      return lines.map((line) => JSON.parse(line) as Line);
    },
    async [Symbol.asyncDispose]() {
      following.stop();
      await app.close();
    },
  };
}

const isEvent = (line: Line): line is RunEvent => !("feed" in line);
const kinds = (lines: readonly Line[]) =>
  lines.flatMap((line) => ("feed" in line ? line.feed : []));

/** More than any buffer between two processes takes. */
async function fill(journal: Journal, claim: Claim): Promise<void> {
  const text = "x".repeat(100_000);
  for (let n = 0; n < 200; n += 1) {
    await s.write(journal, claim, d.token(`m${n}`, text), d.said(`m${n}`, text));
  }
}

test("[L8] everything the session has, as it is stored, between the epoch and the end", async () => {
  await using store = sqliteStore();
  const { journal, claim } = await s.withRun(store);
  await s.write(journal, claim, d.started());
  for (let n = 0; n < 500; n += 1) await s.write(journal, claim, d.token("m", `${n} — ünï 🙂 `));
  await using server = await serve(journal);
  const lines = await server.past("s1");
  const events = await s.sessionEvents(journal, "s1");
  assert.deepEqual(lines.filter(isEvent), events);
  assert.deepEqual(lines[0], { ...lines[0], feed: "heartbeat", epoch: journal.epoch });
  assert.deepEqual(lines.at(-1), {
    feed: "caught_up",
    session_id: "s1",
    session_seq: events.length,
  });
  await until(() => server.open.size === 0, "it to be over");
});

test("[L8d] whoever can use it is told the fold that was kept and what came since, and the rest when asked for", async () => {
  await using store = sqliteStore();
  const { journal, claim } = await s.withRun(store);
  await s.write(journal, claim, d.started());
  for (let n = 0; n < 300; n += 1) await s.write(journal, claim, d.token("m", `${n} `));
  const large = "more than is held for a reader ".repeat(6_000);
  for (let n = 0; n < 20; n += 1) await s.write(journal, claim, d.said(`m${n}`, large));
  const before = await s.sessionEvents(journal, "s1");
  const folded = foldEvents(emptyFolded("s1"), before);
  const text = JSON.stringify(toFoldedSnapshot(folded));
  await journal.saveFold("s1", REDUCER_VERSION, { seq: before.length, text });
  await s.write(journal, claim, d.token("m", "later"), d.said("m", "later"));
  const events = await s.sessionEvents(journal, "s1");
  await using server = await serve(journal);

  const lines = await server.past("s1", `?fold=${REDUCER_VERSION}`);
  assert.deepEqual(kinds(lines), ["heartbeat", "fold", "caught_up"]);
  const [, fold, ...rest] = lines;
  assert.ok(fold && "feed" in fold && fold.feed === "fold");
  assert.equal(fold.session_seq, before.length);
  const emitted = fromFoldedSnapshot(fold.folded as unknown as FoldedSnapshot);
  assert.equal(emitted && foldHash(emitted), foldHash(folded));
  assert.deepEqual(rest.filter(isEvent), events.slice(before.length));
  const earlier = await server.past("s1", `?to=${before.length}`);
  assert.deepEqual(kinds(earlier), ["heartbeat"]);
  assert.deepEqual(earlier.filter(isEvent), before);
  assert.deepEqual((await server.past("s1", "?to=999999")).filter(isEvent), events);

  for (const query of ["", "?fold=1", "?fold=x", "?fold[]=7", `?fold=-${REDUCER_VERSION}`]) {
    const plain = await server.past("s1", query);
    assert.deepEqual(kinds(plain), ["heartbeat", "caught_up"], query);
    assert.deepEqual(plain.filter(isEvent), events, query);
  }
  assert.deepEqual(server.errors, []);
});

test("[L8, D4] a fold of more than the session has is not told", async () => {
  await using store = sqliteStore();
  const { journal } = await s.withRun(store);
  const events = await s.sessionEvents(journal, "s1");
  await journal.saveFold("s1", REDUCER_VERSION, { seq: events.length + 1, text: "{}" });
  await using server = await serve(journal);
  const lines = await server.past("s1", `?fold=${REDUCER_VERSION}`);
  assert.deepEqual(kinds(lines), ["heartbeat", "caught_up"]);
  assert.deepEqual(lines.filter(isEvent), events);
});

test("[L8] it ends at the head it began with, however much is written meanwhile", async () => {
  await using store = sqliteStore();
  const { journal, claim } = await s.withRun(store);
  await s.write(journal, claim, d.started());
  await using server = await serve(journal);
  let writing = true;
  const writer = (async () => {
    while (writing) await s.write(journal, claim, d.token("m", "more "));
  })();
  for (let n = 0; n < 20; n += 1) {
    const lines = await server.past("s1");
    const seqs = lines.filter(isEvent).map(({ session_seq }) => session_seq);
    assert.deepEqual(
      seqs,
      seqs.map((_, index) => index + 1),
    );
    assert.deepEqual(lines.at(-1), {
      feed: "caught_up",
      session_id: "s1",
      session_seq: seqs.length,
    });
  }
  writing = false;
  await writer;
});

test("[L8b, L3] a session nobody knows has no past, and no end of one", async () => {
  await using store = sqliteStore();
  await using server = await serve(await store.connect());
  assert.deepEqual(kinds(await server.past("nobody")), ["heartbeat"]);
  assert.deepEqual(server.errors, []);
});

test("[L8b, D7] what is damaged is not told, and it does not look whole", async () => {
  await using store = sqliteStore();
  const { journal: first, runId, claim } = await s.withRun(store);
  await s.write(first, claim, d.started(), d.token("m", "what was said"));
  await store.closeAll();
  {
    using db = new DatabaseSync(store.path);
    const sql = `UPDATE events SET body = replace(body, 'was said', 'was not')
      WHERE log_key = (SELECT log_key FROM logs WHERE log_id = ?)`;
    db.prepare(sql).run(runId);
  }
  await using server = await serve(await store.connect());
  const lines = await server.past("s1");
  assert.deepEqual(kinds(lines), ["heartbeat"]);
  assert.doesNotMatch(JSON.stringify(lines), /was not/);
  assert.deepEqual(server.errors, [], "the journal has said it");
});

test("[L8c, A3] a token that changes ends it", async () => {
  await using store = sqliteStore();
  const { journal, claim } = await s.withRun(store);
  await s.write(journal, claim, d.started());
  await fill(journal, claim);
  await using server = await serve(journal);
  const response = await fetch(`http://127.0.0.1:${server.port}${server.pathOf("s1")}`);
  const [subscriber] = server.open;
  assert.ok(subscriber);
  subscriber.end(); // as the server does when the token was changed
  const lines = (await response.text()).split("\n").slice(0, -1);
  assert.ok(!lines.at(-1)?.includes("caught_up"));
  await until(() => server.open.size === 0, "it to be over");
});

test("[L8c, V3] a reader that takes nothing is let go, with all that was read for it", async () => {
  await using store = sqliteStore();
  const { journal, claim } = await s.withRun(store);
  await s.write(journal, claim, d.started());
  await fill(journal, claim);
  await using server = await serve(journal, { heartbeatMs: 50 });
  const socket = connect(server.port, "127.0.0.1");
  socket.on("error", () => undefined); // it is reset, which is the point
  socket.pause();
  socket.write(`GET ${server.pathOf("s1")} HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`);
  await until(() => server.open.size === 1, "it to begin");
  await until(() => server.open.size === 0, "it to be let go");
  const closed = once(socket, "close");
  socket.resume();
  await closed;
  assert.deepEqual(server.errors, []);
});
