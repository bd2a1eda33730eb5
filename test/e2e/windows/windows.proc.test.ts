// Many windows on one run: whatever is dropped, reloaded or asked for wrongly, everyone who gets
// anything gets the same, and nobody gets a hole.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { RunEvent } from "../../../src/kernel/events/events.ts";
import {
  applyEvent,
  emptyRun,
  fromSnapshot,
  toSnapshot,
  type RunSnapshot,
} from "../../../src/kernel/state/run/state.ts";
import {
  applySessionEvent,
  emptySession,
  toSessionSnapshot,
} from "../../../src/kernel/state/session/session-state.ts";
import { followRun } from "../../support/follow.ts";
import { followSession } from "../../support/follow-session.ts";
import { call, readEvents, startRun } from "../../support/http.ts";
import { openPair } from "../../support/pair.ts";
import { newTestHome } from "../../support/program.ts";
import { seeded } from "../../support/random.ts";
import { openRaw, sendRaw } from "../../support/journal/raw.ts";
import { runInfo } from "../../support/runs.ts";
import { until } from "../../support/until.ts";

const place = newTestHome({ heartbeat_ms: 60, demo_delay_ms: 1 });
const program = await openPair(place);
after(async () => {
  await program[Symbol.asyncDispose]();
  place[Symbol.dispose]();
});
const { host } = new URL(program.url);

const BUSY = [
  "think About many windows.",
  "say I begin.",
  "plan Look; Write; Read",
  "step 1",
  "write a.txt one\\ntwo\\n",
  "step 2",
  "together",
  "read a.txt",
  "read missing.txt",
  "end",
  "count 150",
  "todo first; second",
  "delegate Echo: pace 1 ;; say I am a subagent.",
  "plan done",
  "count 100",
].join("\n");

type Snapshot = { seq: number; epoch: string; state: RunSnapshot };
const snapshotOf = async (runId: string) =>
  (await call<Snapshot>(program, "GET", `/api/runs/${runId}/snapshot`)).body.data;
const fold = (runId: string, events: readonly RunEvent[]) =>
  asJson(toSnapshot(events.reduce(applyEvent, emptyRun(runId))));
const asJson = (value: unknown) => JSON.parse(JSON.stringify(value)) as unknown;

test("[V1, F1, H2] three clients with random drops see the same bytes and the same state", async (t) => {
  const random = seeded();
  t.diagnostic(`SEED=${random.seed}`);
  const { run_id } = await startRun(program, BUSY);
  const clients = await Promise.all(
    [3, 12, 40].map((most) =>
      followRun(() => program, run_id, { dropAfter: () => 1 + random.below(most) }),
    ),
  );
  const calm = await followRun(() => program, run_id);
  const stored = calm.frames.map(({ id, data }) => `${id} ${data}`);

  assert.ok(
    clients.every(({ connections }) => connections > 5),
    "they did drop",
  );
  for (const { frames } of clients) {
    assert.deepEqual(
      frames.map(({ id, data }) => `${id} ${data}`),
      stored,
    );
  }
  assert.deepEqual(
    calm.events.map(({ event_id }) => event_id),
    calm.events.map((_, index) => `${run_id}:${index + 1}`),
  );
  const { seq, state } = await snapshotOf(run_id);
  assert.equal(seq, calm.events.length);
  for (const { events } of [...clients, calm]) assert.deepEqual(fold(run_id, events), state);
});

test("[V2, F1] a window opened mid-run from a snapshot ends in the same state", async () => {
  const { run_id } = await startRun(program, BUSY);
  await readEvents(program, `/api/runs/${run_id}/events`, { take: 50 });
  const opened = await snapshotOf(run_id);
  assert.ok(opened.seq >= 50);
  const rest = await readEvents(program, `/api/runs/${run_id}/events`, {
    after: `${run_id}:${opened.seq}`,
  });
  const from = fromSnapshot(opened.state);
  assert.ok(from);
  const events = rest.frames.map(({ data }) => JSON.parse(data) as RunEvent);
  const whole = await followRun(() => program, run_id);

  assert.deepEqual(asJson(toSnapshot(events.reduce(applyEvent, from))), fold(run_id, whole.events));
});

test("[E4, V1] a session's stream across its runs is the same for everyone, without gaps", async (t) => {
  const random = seeded();
  t.diagnostic(`SEED=${random.seed}`);
  const first = await startRun(program, "count 60\nsay first");
  const { session_id } = first;
  const second = await startRun(program, BUSY, { session_id });
  const isLast = (event: RunEvent) => event.run_id === second.run_id && event.terminal;
  const clients = await Promise.all([
    followSession(program, session_id, { until: isLast }),
    ...[5, 30].map((most) =>
      followSession(program, session_id, {
        dropAfter: () => 1 + random.below(most),
        until: isLast,
      }),
    ),
  ]);
  const [calm] = clients;
  for (const { frames } of clients) assert.deepEqual(frames, calm?.frames);
  assert.deepEqual(
    calm?.frames.map(({ id }) => id),
    calm?.events.map((_, index) => `${index + 1}`),
    "session_seq is the id",
  );
  const folds = clients.map(({ events }) =>
    toSessionSnapshot(events.reduce(applySessionEvent, emptySession(session_id))),
  );
  for (const state of folds) assert.deepEqual(state, folds[0]);
  assert.deepEqual(
    folds[0]?.runs.filter(({ parentRunId }) => parentRunId === null).map(({ status }) => status),
    ["completed", "completed"],
  );
});

test("[K2] a cursor that does not fit gets 409 with the epoch and the head, never a skip", async () => {
  const { run_id, session_id } = await startRun(program, "say hello");
  const other = await startRun(program, "say other");
  for (const id of [run_id, other.run_id]) await followRun(() => program, id);
  const status = await call<{ epoch: string }>(program, "GET", "/api/status");
  const { epoch } = status.body.data;
  const session = await call<{ session: { seq: number } }>(
    program,
    "GET",
    `/api/sessions/${session_id}`,
  );
  const logs = [
    { log: run_id, path: `/api/runs/${run_id}/events`, head: (await runInfo(program, run_id)).seq },
    {
      log: session_id,
      path: `/api/sessions/${session_id}/events`,
      head: session.body.data.session.seq,
    },
  ];
  for (const { log, path, head } of logs) {
    const wrong = [
      `${other.run_id}:1`,
      `${other.session_id}:1`,
      `${head + 1}`,
      `${log}:${head + 1}`,
      "999999999999999",
      "99999999999999999999",
      "-1",
      `${log}:-1`,
      "1.5",
      "1e0",
      "0x1",
      " ",
      "one",
      `${log}`,
      `${log}:`,
      `:${head}`,
      `e000000000000/${log}:1`,
      `${epoch}/${other.run_id}:1`,
      `/${log}:1`,
      "\u00ff\u00fe",
      "x".repeat(4_000),
    ];
    const refused = (answer: Awaited<ReturnType<typeof sendRaw>>, what: string) => {
      assert.equal(answer.status, 409, what);
      const { error } = answer.json() as unknown as { error: Record<string, unknown> };
      assert.equal(error["code"], "cursor_invalid", what);
      assert.deepEqual(error["details"], { epoch, head, log }, what);
    };
    for (const cursor of wrong) {
      refused(await get(path, { "last-event-id": cursor }), `${log} header ${cursor}`);
      for (const name of ["after_seq", "cursor"]) {
        const query = encodeURIComponent(cursor);
        refused(await get(`${path}?${name}=${query}`), `${log} ${name} ${cursor}`);
      }
    }
    refused(await get(`${path}?after_seq=`), "empty");
    refused(await get(`${path}?after_seq=1&after_seq=2`), "twice");
    refused(await get(`${path}?after_seq=1&epoch=e000000000000`), "an old epoch");
    refused(await get(`${path}?epoch=e000000000000`), "an old epoch from the start");
    refused(
      await get(path, { "last-event-id": Buffer.from([1 + 0x7f, 0xc3]).toString("latin1") }),
      "binary",
    );
    for (const right of [
      `?after_seq=1`,
      `?cursor=${log}:1`,
      `?cursor=${epoch}/${log}:1&epoch=${epoch}`,
    ]) {
      const { frames } = await readEvents(program, `${path}${right}`, { take: 1 });
      const event = JSON.parse(frames[0]?.data ?? "{}") as RunEvent;
      assert.equal(log === run_id ? event.seq : event.session_seq, 2, `${path}${right}`);
    }
  }
});

async function get(path: string, headers: Record<string, string> = {}) {
  const lines = Object.entries({ authorization: `Bearer ${program.token}`, ...headers });
  const text = lines.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  const bytes = Buffer.from(`GET ${path} HTTP/1.1\r\nhost: ${host}\r\n${text}\r\n`, "latin1");
  return sendRaw(program.url, [bytes]);
}

test("[H2a] at the head of a finished run there is nothing more: 204", async () => {
  const { run_id } = await startRun(program, "say hello");
  const { frames } = await followRun(() => program, run_id);
  const last = frames.at(-1)?.id as string;
  const path = `/api/runs/${run_id}/events`;
  assert.equal(
    (await call(program, "GET", path, undefined, { "last-event-id": last })).status,
    204,
  );
  const before = await readEvents(program, path, { after: frames.at(-2)?.id });
  assert.deepEqual(
    before.frames.map(({ id }) => id),
    [last],
  );
  assert.equal(before.ended, true, "the server ends the stream after the terminal event");
});

test("[H3] heartbeats are frames the client can see, and carry the epoch", async () => {
  const { run_id, session_id } = await startRun(program, "clarify Well?");
  const { epoch } = await snapshotOf(run_id);
  for (const path of [`/api/runs/${run_id}/events`, `/api/sessions/${session_id}/events`]) {
    using connection = openRaw(program.url);
    let text = "";
    connection.socket.on("data", (chunk: Buffer) => (text += chunk.toString()));
    connection.write(
      `GET ${path} HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${program.token}\r\n\r\n`,
    );
    const beats = await until(() => {
      const found = [...text.matchAll(/event: heartbeat\ndata: (.+)\n\n/g)];
      return found.length >= 3 ? found : undefined;
    }, "three heartbeats");
    for (const [, data = ""] of beats) {
      assert.equal((JSON.parse(data) as { epoch: string }).epoch, epoch);
    }
  }
});
