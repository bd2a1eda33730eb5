// The browser's streams with a real EventSource and real processes: named events, reconnecting by itself,
// and what other processes do.
import assert from "node:assert/strict";
import { test } from "node:test";
import { EventSource } from "eventsource";
import { WEBUI_EVENTS } from "../../../src/windows/webui/wire/frames.ts";
import { RUN_STATUSES } from "../../../src/kernel/state/run/status.ts";
import { followRun } from "../../support/follow.ts";
import { call, type Server } from "../../support/http.ts";
import { openPair } from "../../support/pair.ts";
import { newTestHome } from "../../support/program.ts";
import { approve } from "../../support/runs.ts";
import { until } from "../../support/until.ts";
import * as page from "../../support/windows/webui.ts";

type Heard = { event: string; id: string; data: page.Fields };

/** A page as browsers have it: it comes back by itself, with the last id it was given. */
function listen({ url, token }: Server, path: string, names: readonly string[]) {
  const heard: Heard[] = [];
  let opened = 0;
  const source = new EventSource(`${url}${path}`, {
    fetch: (input, init) =>
      fetch(input, { ...init, headers: { ...init.headers, authorization: `Bearer ${token}` } }),
  });
  source.addEventListener("open", () => (opened += 1));
  for (const name of names) {
    source.addEventListener(name, (event) => {
      const data = JSON.parse(event.data as string) as page.Fields;
      heard.push({ event: name, id: event.lastEventId, data });
      if (name === "stream_end") source.close();
    });
  }
  return {
    heard,
    opened: () => opened,
    [Symbol.dispose]: () => source.close(),
  };
}

test("[W1, W3, V5] an EventSource that loses its server twice hears every frame once", async () => {
  using place = newTestHome();
  await using program = await openPair(place, { apart: ["serve"] });
  // It waits for an answer at its end: however long a server takes to come back, the run is not over before.
  const script = "pace 8\ncount 300\nexec true\nsay over";
  const { stream_id } = await page.startChat(program, "s1", script);
  const path = `/api/chat/stream?stream_id=${stream_id}`;
  using source = listen(program, path, WEBUI_EVENTS);
  for (const mark of [30, 120]) {
    await until(() => source.heard.length >= mark, `${mark} frames`);
    const connections = source.opened();
    await program.kill("serve");
    await until(() => source.opened() > connections, "the page to be back");
  }
  await approve(program, stream_id);
  await until(() => source.heard.at(-1)?.event === "stream_end", "the end");
  const emitted = await page.followChat(() => program, stream_id);
  assert.deepEqual(
    source.heard,
    emitted.map(({ event, id, data }) => ({ event, id, data })),
  );
});

test("[W4, W5] a subagent's approval comes in the stream of the run that sent it, and is answered there", async () => {
  using place = newTestHome();
  await using program = await openPair(place);
  const script = "pace 0\ndelegate diver: exec echo deep > deep ;; say up\nsay after";
  const { stream_id } = await page.startChat(program, "s1", script);
  using source = listen(program, `/api/chat/stream?stream_id=${stream_id}`, WEBUI_EVENTS);
  const card = await until(
    () => source.heard.find(({ event }) => event === "approval")?.data,
    "the approval",
  );
  assert.deepEqual([card["run_id"], card["subagent"]], [`${stream_id}.t1.1.c0`, true]);
  const { approval_id } = card;
  const body = { session_id: "s1", choice: "once", approval_id };
  assert.equal((await page.ask(program, "POST", "/api/approval/respond", body)).status, 200);
  await until(() => source.heard.at(-1)?.event === "stream_end", "the end");
  const emitted = source.heard.map(({ event, data }) => ({ event, data, id: "", seq: 0 }));
  assert.equal(
    page.eventsNamed(emitted, "tool").length,
    1,
    "its own tools are its parent's one call",
  );
  const none = await page.ask(program, "GET", "/api/approval/pending?session_id=s1");
  assert.deepEqual(none.body, { pending: null, pending_count: 0 });
});

test("[W6, J11] what runners do is heard on every channel: the session's, the list's, across runs", async () => {
  using place = newTestHome();
  await using program = await openPair(place);
  await call(program, "POST", "/api/sessions", { session_id: "s1" });
  using channel = listen(program, "/api/session/stream?session_id=s1", [
    "initial",
    "server_turn_started",
    "session-updated",
    "bg_task_complete",
    "title",
  ]);
  using list = listen(program, "/api/sessions/events", ["sessions_changed"]);
  using across = listen(program, "/api/chat/session-events?session_id=s1", [
    ...WEBUI_EVENTS.filter((name) => name !== "stream_end"),
    "session_snapshot",
  ]);
  await until(() => channel.heard.length > 0 && list.opened() > 0 && across.opened() > 0);
  const runs: string[] = [];
  for (const words of ["one", "two"]) {
    const { stream_id } = await page.startChat(program, "s1", `pace 0\nsay ${words}`);
    await page.followChat(() => program, stream_id);
    runs.push(stream_id);
  }
  const turns = () => channel.heard.filter(({ event }) => event === "server_turn_started");
  await until(() => turns().length === 2, "both turns");
  assert.deepEqual(
    turns().map(({ data }) => data["stream_id"]),
    runs,
  );
  await until(() => list.heard.some(({ data }) => data["session_id"] === "s1"), "the list");
  const ends = () => across.heard.filter(({ event }) => event === "done");
  await until(() => ends().length === 2, "both ends");
  assert.deepEqual(
    ends().map(({ data }) => data["stream_id"]),
    runs,
  );
  assert.ok(!across.heard.some(({ event }) => event === "session_snapshot"));
});

/** "Event Envelope" and "Reconnect Metadata" of the seed, as they stand there. */
const ENVELOPE = {
  event_id: "run_123:42",
  seq: 42,
  run_id: "run_123",
  session_id: "20260514_...",
  type: "tool.updated",
  created_at: 1778750000.0,
  terminal: false,
  payload: {},
};
const STATUSES =
  "queued running awaiting_approval awaiting_clarify paused cancelling cancelled failed completed expired";
const RUN_STATUS =
  "run_id session_id status last_event_id terminal_state active_controls pending_approval_id pending_clarify_id";
const CONTROL_RESULT = "accepted status event_id safe_message";

test("[W6, E1, C1] the seed's envelope, run status and control result are what the native API has", async () => {
  using place = newTestHome();
  await using program = await openPair(place);
  const { stream_id } = await page.startChat(program, "20260514_abc", "say hello");
  const { events } = await followRun(() => program, stream_id);
  for (const event of events) {
    for (const [name, example] of Object.entries(ENVELOPE)) {
      assert.equal(typeof (event as unknown as page.Fields)[name], typeof example, name);
    }
    assert.equal(event.event_id, `${event.run_id}:${event.seq}`);
  }
  assert.deepEqual(RUN_STATUSES.join(" "), STATUSES);
  const run = (await call(program, "GET", `/api/runs/${stream_id}`)).body.data;
  for (const name of RUN_STATUS.split(" ")) assert.ok(name in run, name);
  const result = (await call(program, "POST", `/api/runs/${stream_id}/cancel`, {})).body.data;
  for (const name of CONTROL_RESULT.split(" ")) assert.ok(name in result, name);
});
