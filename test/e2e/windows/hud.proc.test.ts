// The HUD of the real program, watched by a real WebSocket client while processes are killed under it.
import assert from "node:assert/strict";
import { once } from "node:events";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { WebSocket } from "ws";
import type { HudEvent } from "../../../src/windows/hud/wire/events.ts";
import {
  applyHudFrame,
  emptyHud,
  hudTree,
  pendingRequests,
  type HudNode,
  type HudState,
} from "../../../src/windows/hud/state/hud-state.ts";
import { call, startRun, type Server } from "../../support/http.ts";
import { openPair } from "../../support/pair.ts";
import { newTestHome } from "../../support/program.ts";
import { answerQuestion, approve, textOf } from "../../support/runs.ts";
import { until } from "../../support/until.ts";

const HEADERS = ({ token }: Server) => ({ authorization: `Bearer ${token}` });
const address = ({ url }: Server, sessionId: string) =>
  `${url.replace("http", "ws")}/api/hud/ws?session_id=${sessionId}`;

type Watching = AsyncDisposable & {
  readonly state: HudState;
  readonly frames: HudEvent[]; // every frame of every connection
  readonly connections: number;
};

/** A HUD as a page would have it: it comes back when it is cut off, and keeps its tree. */
function watch(program: Server, sessionId: string): Watching {
  const frames: HudEvent[] = [];
  let [state, connections, over] = [emptyHud(), 0, false];
  let current: WebSocket | undefined;
  const follow = async () => {
    while (!over) {
      const ws = new WebSocket(address(program, sessionId), { headers: HEADERS(program) });
      current = ws;
      ws.on("error", () => undefined);
      ws.once("open", () => (connections += 1));
      ws.on("message", (data: Buffer) => {
        const frame = JSON.parse(data.toString()) as HudEvent;
        frames.push(frame);
        state = applyHudFrame(state, frame);
      });
      await new Promise((resolve) => ws.once("close", resolve));
      if (!over) await delay(30); // the server is down: come back, as a page would
    }
  };
  const following = follow();
  return {
    frames,
    get state() {
      return state;
    },
    get connections() {
      return connections;
    },
    async [Symbol.asyncDispose]() {
      over = true;
      current?.terminate();
      await following;
    },
  };
}

const flat = (nodes: readonly HudNode[]): HudNode[] =>
  nodes.flatMap((node) => [node, ...flat(node.children)]);
const turnsOf = (state: HudState) => flat(hudTree(state)).filter(({ type }) => type === "turn");
const isOver = (state: HudState) =>
  turnsOf(state).length > 0 && turnsOf(state).every(({ endedAt }) => endedAt !== undefined);

/** The tree without what differs by connection. */
function plain(nodes: readonly HudNode[]): unknown[] {
  return nodes
    .filter(({ subtype }) => subtype !== "reconnect")
    .map(({ replay: _replay, children, ...node }) => ({ ...node, children: plain(children) }));
}

/** A fresh window sees the same tree, and everything in it is marked as the past. */
async function assertReplays(program: Server, sessionId: string, seen: HudState): Promise<void> {
  await using fresh = watch(program, sessionId);
  await until(() => isOver(fresh.state) && fresh.state.entries.length > 0, "the replay");
  await until(
    () => plain(hudTree(fresh.state)).length === plain(hudTree(seen)).length,
    "all of the replay",
  );
  assert.deepEqual(plain(hudTree(fresh.state)), plain(hudTree(seen)));
  const [hello, ...history] = fresh.frames;
  assert.ok(hello?.event === "received" && hello.subtype === "reconnect");
  assert.ok(history.every(({ replay }) => replay === true));
}

test("[W1, W4] a run as it happens: thinking, tools, an approval; afterwards a fresh window sees the same", async () => {
  using place = newTestHome();
  await using program = await openPair(place);
  await using hud = watch(program, "watched");
  await until(() => hud.connections === 1);
  const script = [
    "pace 0",
    "think Let me see.",
    String.raw`write notes.txt one\ntwo\nthree\n`,
    "together",
    "read notes.txt",
    "read missing.txt",
    "end",
    "edit notes.txt | two | 2",
    "exec echo hello from notes.txt",
    "say done",
  ].join("\n");
  const { run_id } = await startRun(program, script, { session_id: "watched" });
  await until(() => pendingRequests(hud.state).length === 1, "the request");
  const waiting = flat(hudTree(hud.state)).filter(({ state }) => state === "running");
  assert.deepEqual(
    waiting.map(({ label }) => label),
    ["turn", "⚡ echo hello from notes.txt"],
    "what waits is seen as running",
  );
  const { href, choices } = pendingRequests(hud.state)[0]?.payload ?? {};
  assert.ok((choices as string[]).includes("once"));
  await call(program, "POST", String(href), { choice: "once" });
  await until(() => isOver(hud.state), "the end");

  assert.ok(
    hud.frames.every(({ replay }) => replay === undefined),
    "nothing was the past",
  );
  assert.deepEqual(pendingRequests(hud.state), []);
  const [turn] = turnsOf(hud.state);
  const rows = (turn?.children ?? []).filter(({ type }) => type !== "received");
  assert.deepEqual(
    rows.map(({ label, state }) => `${state} ${label}`),
    [
      "done think",
      "done ✏️ notes.txt (overwrite)",
      "done 👁 notes.txt:L1–L3",
      "error 👁 missing.txt",
      "done ✏️ notes.txt:L2–L2",
      "done ⚡ echo hello from notes.txt",
    ],
  );
  assert.deepEqual(rows[0]?.result, { text: "Let me see.", bytes: 11 });
  assert.deepEqual(rows[2]?.result, {
    ok: true,
    file: { path: "notes.txt", viewerPath: "notes.txt", area: { startLine: 1, endLine: 3 } },
    area: { startLine: 1, endLine: 3 },
    text: "one\ntwo\nthree\n",
    bytes: 14,
    truncated: false,
  });
  assert.partialDeepStrictEqual(rows[5]?.result, {
    ok: true,
    exitCode: 0,
    stdout: "hello from notes.txt\n",
    truncated: false,
    mentionedPaths: [{ path: "notes.txt", viewerPath: "notes.txt" }],
  });
  assert.equal(hud.frames.find(({ event }) => event === "turn_start")?.parentId, undefined);
  assert.ok(
    hud.frames.some((frame) => frame.event === "turn_start" && frame.correlationId === run_id),
  );
  await assertReplays(program, "watched", hud.state);
});

test("[W1, W4] killing work under a tool: one node, the question is seen, everything closes", async () => {
  using place = newTestHome();
  await using program = await openPair(place, { apart: ["work"] });
  await using hud = watch(program, "killed");
  const ledger = join(place.workspace, "ledger");
  const script = "pace 0\nthink Soon.\nexec echo ran >> ledger; sleep 30\nsay after";
  const { run_id } = await startRun(program, script, { session_id: "killed" });
  await approve(program, run_id);
  await until(() => textOf(ledger) !== "", "the tool's effect");
  await program.kill("work");

  const request = await until(() => pendingRequests(hud.state)[0], "the question in the HUD");
  assert.equal(request.subtype, "unknown_outcome");
  assert.deepEqual(request.payload["choices"], ["check", "retry", "mark_done", "skip"]);
  await answerQuestion(program, run_id, "mark_done");
  await until(() => isOver(hud.state), "the end");

  assert.deepEqual([hud.state.running, pendingRequests(hud.state)], [[], []]);
  const nodes = flat(hudTree(hud.state));
  const [tool, ...more] = nodes.filter(({ type }) => type === "tool");
  assert.deepEqual(more, [], "it is one call");
  assert.equal(tool?.result?.["status"], "marked_done");
  assert.ok(nodes.some(({ subtype }) => subtype === "handover"));
  await assertReplays(program, "killed", hud.state);
});

test("[W1, W7] killing serve: the window comes back, is told the past again, and its tree is the same", async () => {
  using place = newTestHome();
  await using program = await openPair(place, { apart: ["serve"] });
  await using hud = watch(program, "served");
  // Each part ends with a question: however long a server takes to come back, there is more to tell after it.
  const part = (first: number) =>
    Array.from({ length: 10 }, (_, at) => `think ${at} a b\nwrite f${first + at}.txt x`);
  const script = ["pace 10", ...part(0), "exec true", ...part(10), "exec true", ...part(20)];
  const { run_id } = await startRun(program, script.join("\n"), { session_id: "served" });
  for (let kills = 1; kills <= 2; kills += 1) {
    const seen = hud.state.entries.length;
    await until(() => hud.state.entries.length > seen + 5, "some nodes");
    await program.kill("serve");
    await until(() => hud.connections > kills, "the window to be back");
    await approve(program, run_id);
  }
  await until(() => isOver(hud.state), "the end");

  const tools = flat(hudTree(hud.state)).filter(({ type }) => type === "tool");
  assert.deepEqual(
    tools.map(({ label }) => label).filter((label) => label.includes("overwrite")),
    Array.from({ length: 30 }, (_, at) => `✏️ f${at}.txt (overwrite)`),
  );
  assert.ok(
    hud.frames.some(({ replay }) => replay === true),
    "the past was told again",
  );
  const reconnects = hud.frames.filter(
    (frame) => frame.event === "received" && frame.subtype === "reconnect",
  );
  assert.ok(reconnects.length >= 2);
  await assertReplays(program, "served", hud.state);
});

test("[W4] a subagent is nested in its call, its request is seen, and stopping closes all of it", async () => {
  using place = newTestHome();
  await using program = await openPair(place);
  const script = "pace 0\ndelegate helper: pace 0 ;; think Quick. ;; exec sleep 30\nsay never";
  const { run_id, session_id } = await startRun(program, script);
  await using hud = watch(program, session_id);
  await until(() => pendingRequests(hud.state).length === 1, "the subagent's request");
  const [turn] = turnsOf(hud.state);
  const [delegate] = (turn?.children ?? []).filter(({ type }) => type === "tool");
  const [nested] = delegate?.children ?? [];
  assert.equal(delegate?.label, "delegate: helper");
  assert.deepEqual([nested?.type, nested?.label], ["turn", "subagent: helper"]);
  assert.ok(nested?.children.some(({ label }) => label === "⚡ sleep 30"));
  await call(program, "POST", `/api/runs/${run_id}/cancel`, {});
  await until(() => isOver(hud.state), "the end");

  assert.deepEqual([hud.state.running, pendingRequests(hud.state)], [[], []]);
  const stopped = flat(hudTree(hud.state)).filter(({ type }) => type === "turn" || type === "tool");
  assert.ok(stopped.length === 4 && stopped.every(({ state }) => state === "error"));
  assert.ok(hudTree(hud.state).some(({ subtype }) => subtype === "stop"));
  await assertReplays(program, session_id, hud.state);
});

test("[W9] nobody watches without the token", async () => {
  using place = newTestHome();
  await using program = await openPair(place);
  for (const headers of [{}, { authorization: "Bearer wrong" }]) {
    const ws = new WebSocket(address(program, "s1"), { headers });
    ws.on("error", () => undefined);
    const [, { statusCode }] = (await once(ws, "unexpected-response")) as [
      unknown,
      { statusCode: number },
    ];
    assert.equal(statusCode, 401);
    ws.terminate();
  }
});
