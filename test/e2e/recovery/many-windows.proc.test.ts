// One run, many windows at once, while processes are killed: each ends in the same words, what is answered
// in one vanishes in all, and the first answer wins.
import assert from "node:assert/strict";
import { test } from "node:test";
import { followRun } from "../../support/follow.ts";
import { call, type Server } from "../../support/http.ts";
import { openPair } from "../../support/pair.ts";
import { newTestHome } from "../../support/program.ts";
import { stubbornSocket, stubbornStream, type StubbornSocket } from "../../support/stubborn.ts";
import { until } from "../../support/until.ts";

const SESSION = "terminal-dev:local:desk";
const SCRIPT = [
  "pace 12",
  "say The first part is told before anything is asked of you.",
  "exec echo allowed",
  "say The second part comes after the command.",
  "delegate Helper: say Inner words of a helper. ;; exec echo inner",
  "say The last part.",
].join("\n");
const TEXT = /The first part.*The second part.*The last part\./s;

type Json = Record<string, unknown>;
const payload = (frame: Json) => frame["payload"] as Json;

type DaemonEnvelope = {
  readonly eventId: number;
  readonly sessionId: string;
  readonly event: { readonly method: string; readonly params: Json };
};

/** What a console shows: texts as they were completed, by message. */
function consoleText(frames: readonly Json[]): string {
  const texts = new Map<unknown, string>();
  for (const frame of frames) {
    if (frame["type"] !== "message.assistant.completed" || payload(frame)["parent_run_id"])
      continue;
    texts.set(payload(frame)["message_id"], String(payload(frame)["content"]));
  }
  return [...texts.values()].filter(Boolean).join("\n");
}

/** What a daemon's dashboard folds: live frames and snapshots, by event id. */
function daemonEvents(messages: readonly Json[]): DaemonEnvelope[] {
  const events = new Map<number, DaemonEnvelope>();
  for (const message of messages) {
    const all = (message["events"] ?? [message]) as DaemonEnvelope[];
    for (const event of all) {
      if (event.sessionId === SESSION && event.eventId) events.set(event.eventId, event);
    }
  }
  return [...events.values()].toSorted((a, b) => a.eventId - b.eventId);
}

const emittedBy = ({ got }: StubbornSocket, method: string): Json[] =>
  daemonEvents(got).flatMap(({ event }) => (event.method === method ? [event.params] : []));

function openWindows(program: Server) {
  const snapshot = () => [{ method: "snapshot.request", params: { sessionId: SESSION } }];
  const connect = () => [{ type: "connect", peer_id: "desk", capabilities: ["text"] }];
  return {
    console: stubbornStream(program, `/api/gui/stream/session/${SESSION}?history=1`),
    daemon: stubbornSocket(program, "/api/daemon/ws", snapshot),
    hud: stubbornSocket(program, `/api/hud/ws?session_id=${SESSION}`),
    terminal: stubbornSocket(program, "/api/channels/terminal-dev/ws", connect),
  };
}

async function pendingIn(program: Server): Promise<Json[]> {
  const answer = await call<{ pending: Json[] }>(program, "GET", "/api/gui/human/pending").catch(
    () => undefined,
  );
  return answer?.body.data.pending ?? [];
}

/** A new request, as the daemon window tells it. */
async function nextPermission(daemon: StubbornSocket, not: ReadonlySet<unknown>) {
  return until(() => {
    const asked = daemonEvents(daemon.got).filter(
      ({ event }) => event.method === "permission.request" && !not.has(event.params["requestId"]),
    );
    return asked.at(-1)?.event.params;
  }, "a permission request");
}

test("[W1, W4, W5, V5, X8] console, daemon, HUD and terminal on one run while processes are killed", async () => {
  using place = newTestHome({ demo_delay_ms: 1 });
  await using program = await openPair(place, { apart: ["serve", "work"], args: ["--port", "0"] });
  const windows = openWindows(program);
  const { console: gui, daemon, hud, terminal } = windows;
  terminal.send({ type: "message", message_id: "desk-000001", text: SCRIPT });
  const ack = await until(() => terminal.got.find(({ type }) => type === "ack"));
  assert.equal(ack["accepted"], true);
  await until(() => gui.got.some(({ type }) => type === "message.assistant.delta"));
  await program.kill("serve");

  // Asked in every window; answered in the daemon's, while the runner dies.
  const answered = new Set<unknown>();
  const first = await nextPermission(daemon, answered);
  await until(() => gui.got.some(({ type }) => type === "approval.requested"));
  await until(() => terminal.got.some((frame) => frame["finish_reason"] === "needs_input"));
  await until(async () => (await pendingIn(program)).length === 1);
  await program.kill("work");
  const allow = (request: Json) => ({
    method: "permission.response",
    params: { requestId: request["requestId"], sessionId: SESSION, approved: true },
  });
  daemon.send(allow(first));
  answered.add(first["requestId"]);
  const ids = async () => (await pendingIn(program)).map(({ request_id }) => request_id);
  await until(async () => !(await ids()).includes(first["requestId"]));

  // A subagent asks: every window has it too. Console and daemon answer at once: one of them wins.
  const second = await nextPermission(daemon, answered);
  await until(async () => (await ids()).includes(second["requestId"]));
  daemon.send(allow(second));
  const body = { request_id: second["requestId"] };
  const denied = await call(program, "POST", "/api/gui/human/deny", body);
  assert.ok([200, 404, 409].includes(denied.status));
  await program.kill("serve");

  await until(() => gui.got.some(({ type }) => type === "run.completed"), "the console's end");
  const run = gui.got.find(({ type }) => type === "run.completed") ?? {};
  const { events } = await followRun(() => program, String(run["run_id"]));
  const done = events.at(-1);
  assert.ok(done?.type === "done" && done.payload.status === "completed");

  await until(
    () => daemonEvents(daemon.got).some(({ event }) => event.method === "stream.turn_completed"),
    "the daemon's end",
  );
  const result = done.payload.result ?? "";
  const emitted = consoleText(gui.got);
  assert.match(emitted, TEXT);
  assert.ok(result !== "" && emitted.endsWith(result.trim()), "console ends with the run's result");
  const frames = gui.got.flatMap((frame) => (frame["id"] ? [frame["id"]] : []));
  assert.equal(new Set(frames).size, frames.length, "nothing twice in the console");

  const spoken = emittedBy(daemon, "stream.text")
    .map(({ delta }) => String(delta))
    .join("");
  for (const part of emitted.split("\n")) assert.ok(spoken.includes(part.trim()), part);
  const asked = emittedBy(daemon, "permission.request").map(({ requestId }) => String(requestId));
  const closed = emittedBy(daemon, "permission.response").map(({ requestId }) => String(requestId));
  assert.deepEqual(asked.toSorted(), closed.toSorted(), "no permission is left open");

  // The winner is the same everywhere.
  const resolved = gui.got.filter(({ type }) => type === "approval.resolved").map(payload);
  assert.equal(resolved.length, 2);
  const inner = resolved.find((each) => each["request_id"] === second["requestId"]);
  assert.equal(inner?.["status"] === "denied", denied.status === 200);

  // The device was told of the request, and of the end although it was answered elsewhere.
  const replies = () => terminal.got.filter(({ type, role }) => type === "message" && role);
  await until(
    () => replies().some(({ text }) => String(text).includes("The last part.")),
    "a reply",
  );
  assert.equal(replies().filter((reply) => reply["finish_reason"] === "stop").length, 1);
  const turns = hud.got.filter(({ event }) => event === "turn_end");
  assert.ok(turns.length > 0, "the HUD saw the turn end");
  for (const window of Object.values(windows)) await window.stop();
});
