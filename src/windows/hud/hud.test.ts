// The HUD's socket in this process: who may open it, what comes first, and what becomes of what is sent to it.
import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import fc from "fast-check";
import { WebSocket } from "ws";
import { appDeps, TOKEN } from "../../../test/support/app-deps.ts";
import * as d from "../../../test/support/drafts.ts";
import { sqliteStore, type SqliteStore } from "../../../test/support/journal/sqlite-store.ts";
import { tries } from "../../../test/support/tries.ts";
import { until } from "../../../test/support/until.ts";
import * as s from "../../kernel/journal/contract/store.contract.ts";
import type { Journal } from "../../kernel/journal/journal.ts";
import { encode } from "../../kernel/dialect/dialect.ts";
import type { HudEvent } from "./wire/events.ts";
import { HUD_ROUTES } from "./wire/routes.ts";
import { hudDialect } from "./wire/hud.ts";
import type { RunEvent } from "../../kernel/events/events.ts";
import { createApp } from "../../cli/create-app.ts";
import { hudWindow } from "./hud.ts";

const headers = { authorization: `Bearer ${TOKEN}` };

async function serving(store: SqliteStore, journal: Journal) {
  const errors: unknown[] = [];
  const logError = (error: unknown) => void errors.push(error);
  const deps = appDeps(journal, { webRoot: store.home, logError });
  const { tails: following, open } = deps.streams;
  const app = await createApp(deps);
  await app.listen({ port: 0, host: "127.0.0.1" });
  const { port } = app.server.address() as AddressInfo;
  return {
    url: `ws://127.0.0.1:${port}/api/hud/ws`,
    following,
    open,
    errors,
    [Symbol.asyncDispose]: async () => {
      for (const subscriber of open) subscriber.end();
      await app.close();
    },
  };
}

type Answer = { type: string; error?: { code: string; message: string } };

async function connect(url: string) {
  const ws = new WebSocket(url, { headers });
  const frames: (HudEvent & Answer)[] = [];
  const closed = once(ws, "close") as Promise<[number, Buffer]>;
  ws.on("message", (data: Buffer) => frames.push(JSON.parse(data.toString())));
  ws.on("error", () => undefined);
  await once(ws, "open");
  return { ws, frames, closed };
}

const DID = [
  d.intent("c1"),
  d.approvalAsked("c1"),
  d.approvalGiven("c1", "once"),
  d.toolDone("c1"),
];
const unmarked = ({ replay: _replay, ...frame }: HudEvent) => frame;

/** What the journal's bytes are in frames, told by nobody else. */
async function expected(journal: Journal): Promise<HudEvent[]> {
  const nodes = hudDialect.begin();
  const events: RunEvent[] = await s.sessionEvents(journal);
  return events.flatMap((event) => encode(hudDialect, event, nodes, { replay: false }));
}

test("[W6] the routes are those of the list", () => {
  const { sockets = [] } = hudWindow({} as never);
  assert.deepEqual(
    sockets.map(({ path }) => `WS ${path}`),
    HUD_ROUTES.map(({ method, path }) => `${method} ${path}`),
  );
});

test("[W1] the history is emitted first and marked, then live events; every client gets the same", async () => {
  await using store = sqliteStore();
  const journal = await store.connect();
  await s.exchange(journal, "one", ...DID);
  await using server = await serving(store, journal);
  const early = await connect(`${server.url}?session_id=s1`);
  const past = await expected(journal);
  await until(() => early.frames.length === past.length + 1, "the past");
  const [hello, ...history] = early.frames;
  assert.ok(hello?.event === "received" && hello.subtype === "reconnect");
  assert.deepEqual(hello.payload, { sessionKey: "s1" });
  assert.equal(hello.label, "reconnected — replaying history");
  assert.match(hello.id, /^[0-9a-f-]{36}$/);
  assert.ok(history.every(({ replay }) => replay === true));
  assert.ok(!("replay" in hello));

  await s.exchange(journal, "two", ...DID);
  const all = await expected(journal);
  await until(() => early.frames.length === all.length + 1, "what happened");
  assert.ok(early.frames.slice(past.length + 1).every((frame) => !("replay" in frame)));
  const late = await connect(`${server.url}?session_id=s1`);
  await until(() => late.frames.length === all.length + 1);
  for (const { frames } of [early, late]) {
    assert.deepEqual(frames.slice(1).map(unmarked), all);
  }
  assert.notEqual(late.frames[0]?.id, hello.id, "each connection is its own");
  assert.equal(server.following.size, 1, "one reader for all");
  for (const { ws, closed } of [early, late]) {
    ws.close();
    await closed;
  }
  assert.deepEqual(server.errors, []);
});

test("[W4] a session that is not there yet can be watched before its first message", async () => {
  await using store = sqliteStore();
  const journal = await store.connect();
  await using server = await serving(store, journal);
  const { ws, frames, closed } = await connect(`${server.url}?session_id=s1`);
  ws.send('{"type":"ping"}');
  await until(() => frames.length === 1);
  assert.deepEqual(frames[0], { type: "pong", ts: frames[0]?.ts });
  await s.exchange(journal, "first", ...DID);
  const all = await expected(journal);
  await until(() => frames.length === all.length + 1);
  assert.deepEqual(frames.slice(1), all, "live from the first event on");
  ws.close();
  await closed;
});

test("[W6] without a session to watch the socket says so and closes", async () => {
  await using store = sqliteStore();
  await using server = await serving(store, await store.connect());
  for (const query of [
    "",
    "?session_id=",
    "?session_id=a%20b",
    "?session_id=a&session_id=b",
    `?session_id=${"x".repeat(200)}`,
    "?sessionKey=s1",
  ]) {
    const { frames, closed } = await connect(`${server.url}${query}`);
    const [code] = await closed;
    assert.equal(code, 1008, query);
    assert.equal(frames.length, 1);
    assert.deepEqual([frames[0]?.type, frames[0]?.error?.code], ["error", "invalid_request"]);
  }
  assert.equal(server.following.size, 0);
  assert.deepEqual(server.errors, []);
});

test("[W6, J8] a session that cannot be read is an error, not silence", async () => {
  await using store = sqliteStore();
  const journal = await store.connect();
  const runId = await s.exchange(journal, "one");
  await store.closeAll();
  {
    using db = new DatabaseSync(store.path);
    const log = "(SELECT log_key FROM logs WHERE log_id = ?)";
    db.prepare(`UPDATE events SET body = '' WHERE seq = 2 AND log_key = ${log}`).run(runId);
  }
  await using server = await serving(store, await store.connect());
  const { frames, closed } = await connect(`${server.url}?session_id=s1`);
  assert.equal((await closed)[0], 1011);
  const last = frames.at(-1);
  assert.deepEqual([last?.type, last?.error?.code], ["error", "run_quarantined"]);
  assert.match(last?.error?.message ?? "", /doctor/);
  assert.deepEqual(server.errors, [], "known, and no failure of the server");
});

const ping = fc.constant('{"type":"ping"}');
const inbound = fc.oneof(
  { arbitrary: ping, weight: 1 },
  { arbitrary: fc.json({ maxDepth: 2 }), weight: 3 },
  { arbitrary: fc.string({ unit: "binary", maxLength: 30 }), weight: 3 },
  {
    arbitrary: fc
      .record(
        {
          type: fc.oneof(
            fc.constantFrom("hud", "req", "chat.send", "Ping", "__proto__", "pong"),
            fc.jsonValue({ maxDepth: 1 }),
          ),
          event: fc.constantFrom("tool_start", "received"),
          id: fc.oneof(fc.uuid(), fc.nat()),
          method: fc.constantFrom("chat.send", "sessions.list"),
        },
        { requiredKeys: [] },
      )
      .map((frame) => JSON.stringify(frame)),
    weight: 4,
  },
  {
    arbitrary: fc.constantFrom(
      "[".repeat(50_000),
      `${"[".repeat(20_000)}${"]".repeat(20_000)}`,
      "",
      "null",
      '{"type":"ping"',
      '\ufeff{"type":"ping"}',
      `{"type":"${"x".repeat(10_000)}"}`,
      '{"type":"\\ud800"}',
    ),
    weight: 1,
  },
);

const FRAMES = tries(25_000);

test(`[W6, B3] ${FRAMES} random frames: each gets a typed answer, the window goes on, nothing is left over`, async () => {
  await using store = sqliteStore();
  const journal = await store.connect();
  await s.exchange(journal, "one", ...DID);
  await using server = await serving(store, journal);
  const { ws, frames, closed } = await connect(`${server.url}?session_id=s1`);
  const past = (await expected(journal)).length + 1;
  await until(() => frames.length === past);
  const texts = fc.sample(inbound, FRAMES).map((text) => text.toWellFormed());
  const isPing = (text: string) => {
    try {
      return (JSON.parse(text) as { type?: unknown } | null)?.type === "ping";
    } catch {
      return false;
    }
  };
  for (let from = 0; from < texts.length; from += 1_000) {
    const batch = texts.slice(from, from + 1_000);
    frames.length = 0;
    for (const text of batch) ws.send(text);
    await until(() => frames.length === batch.length, "an answer to each");
    for (const [at, text] of batch.entries()) {
      const { type, error } = frames[at] as Answer;
      if (isPing(text)) assert.equal(type, "pong");
      else {
        assert.equal(type, "error");
        assert.match(error?.code ?? "", /^invalid_(json|request)$/);
        assert.ok((error?.message.length ?? 999) < 300);
      }
    }
  }
  frames.length = 0;
  await s.exchange(journal, "two", ...DID);
  const all = (await expected(journal)).length;
  await until(() => frames.length === all - past + 1, "the window still follows");
  ws.close();
  assert.equal((await closed)[0], 1005);
  await until(() => server.open.size === 0);
  assert.deepEqual(server.errors, []);
});
