// The daemon's dashboard against the real program, as it really behaves: it asks for a whole snapshot at
// every connection, holds live events back until that came, and drops what it has seen.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { WebSocket } from "ws";
import {
  applyEnvelope,
  emptyExecution,
  toExecutionTree,
  type ExecutionNode,
} from "../../clients/execution-tree/execution-tree.ts";
import { call, startRun, type Server } from "../../support/http.ts";
import { openPair } from "../../support/pair.ts";
import { newTestHome } from "../../support/program.ts";
import { until } from "../../support/until.ts";

type Envelope = {
  eventId: number;
  sessionId: string;
  event: { method: string; params: Record<string, unknown> };
};
type Message = Envelope & { method?: string; events?: Envelope[]; lastEventId?: number };

function dashboard({ url, token }: Server, sessionId: string, path = "/ws") {
  let tree = emptyExecution(sessionId);
  let held: Envelope[] | undefined;
  let [over, connections] = [false, 0];
  let ws: WebSocket | undefined;
  const live: Envelope[] = []; // of every session, over all connections
  const snapshots: Message[] = [];
  const take = (envelope: Envelope) => void (tree = applyEnvelope(tree, envelope));
  const heard = (message: Message) => {
    if (message.method === "snapshot.response") {
      snapshots.push(message);
      for (const envelope of [...(message.events ?? []), ...(held ?? [])]) take(envelope);
      held = undefined;
    } else if (message.eventId !== undefined) {
      live.push(message);
      if (held) held.push(message);
      else take(message);
    }
  };
  const open = () => {
    if (over) return;
    connections += 1;
    held = [];
    ws = new WebSocket(url.replace("http", "ws") + path, {
      headers: { authorization: `Bearer ${token}` },
    });
    ws.on("open", () =>
      ws?.send(JSON.stringify({ method: "snapshot.request", params: { sessionId } })),
    );
    ws.on("message", (data: Buffer) => heard(JSON.parse(data.toString()) as Message));
    ws.on("error", () => undefined);
    ws.on("close", () => void delay(20).then(open));
  };
  open();
  const nodes = () => {
    const all: ExecutionNode[] = [...toExecutionTree(tree).rootNodes];
    for (const node of all) all.push(...node.children);
    return all;
  };
  return {
    live,
    snapshots,
    connections: () => connections,
    tree: () => toExecutionTree(tree),
    nodes,
    awaiting: () => nodes().filter(({ awaitingInput }) => awaitingInput),
    send: (message: object) => ws?.send(JSON.stringify(message)),
    drop: () => ws?.terminate(),
    [Symbol.dispose]: () => {
      over = true;
      ws?.terminate();
    },
  };
}
type Dashboard = ReturnType<typeof dashboard>;

/** Numbers of a session only ever rise, over connections, servers and restarts. */
function assertNeverBack({ live }: Dashboard): void {
  const last = new Map<string, number>();
  for (const { sessionId, eventId } of live) {
    assert.ok(eventId > (last.get(sessionId) ?? 0), `${eventId} of ${sessionId}`);
    last.set(sessionId, eventId);
  }
}

const turnsDone = (board: Dashboard) =>
  board.nodes().filter(({ type, status }) => type === "turn" && status === "completed").length;

async function answer(board: Dashboard, sessionId: string, more: object = {}): Promise<string> {
  const node = await until(() => board.awaiting()[0], "a request");
  const requestId = node.permissionRequestId ?? "";
  board.send({
    method: "permission.response",
    params: { requestId, sessionId, approved: true, ...more },
  });
  return requestId;
}

const SCRIPT = [
  "pace 4",
  `say ${"All of this is told while servers die. ".repeat(12)}`,
  "plan Work; Look; Ask; Leave",
  "step 1",
  "think What is here?",
  "together",
  "list .",
  "write a.txt words",
  "end",
  "step 2",
  "exec echo allowed",
  `say ${"And so is this, in the second step. ".repeat(12)}`,
  "plan done",
  "delegate Helper: say Inner words. ;; exec echo inner",
  "clarify Was it good? | Yes | No",
  "say The last words.",
].join("\n");

/** A snapshot tells what waits as of now: when it was asked differs between those who came later. */
function untimed(tree: unknown): unknown {
  const keep = (key: string, value: unknown) => (key === "permissionRequestedAt" ? 0 : value);
  return JSON.parse(JSON.stringify(tree, keep));
}

test("[W1, W3, W4, V5] dashboards see one tree while servers and runners are killed", async () => {
  using place = newTestHome({ demo_delay_ms: 1 });
  await using program = await openPair(place, { apart: ["serve", "work"] });
  const session_id = "watched";
  using first = dashboard(program, session_id);
  using second = dashboard(program, session_id, "/api/daemon/ws");
  await until(() => first.snapshots.length > 0 && second.snapshots.length > 0, "both to be there");
  await startRun(program, SCRIPT, { session_id });
  await until(() => first.live.length > 15, "the first words");
  await program.kill("serve");
  await until(() => first.connections() > 1 && first.snapshots.length > 1, "to be back");
  second.drop();
  await answer(first, session_id); // the command of step 2
  await until(
    () => second.nodes().some(({ type, text }) => type === "text" && text?.includes("And so is")),
    "the second part",
  );
  await program.kill("work");
  const before = second.snapshots.length;
  await program.kill("serve");
  await until(() => second.snapshots.length > before, "to be back"); // an answer to the dead is lost
  // A subagent asks: on the call it works for.
  await until(
    () => second.awaiting().some(({ metadata }) => metadata?.["tool"] === "delegate"),
    "its request",
  );
  const inner = await answer(second, session_id);
  await until(
    () => first.awaiting().every(({ permissionRequestId }) => permissionRequestId !== inner),
    "it to be gone",
  );
  await until(
    () => first.awaiting().some(({ inputPrompt }) => inputPrompt?.includes("Was it good?")),
    "the question",
  );
  await answer(first, session_id, { approved: false });
  using late = dashboard(program, session_id);
  for (const board of [first, second, late]) {
    await until(() => turnsDone(board) === 1, "the end");
    await until(() => board.tree().stats.totalTurns === 1);
  }
  // The whole session, folded once by somebody who saw nothing before.
  using witness = dashboard(program, session_id);
  await until(() => witness.snapshots.length > 0, "a snapshot");
  const whole = witness.snapshots[0]?.events ?? [];
  const expected = toExecutionTree(whole.reduce(applyEnvelope, emptyExecution(session_id)));
  for (const board of [first, second, late]) {
    assertNeverBack(board);
    const { lastEventId } = board.tree();
    assert.deepEqual(untimed(board.tree()), untimed({ ...expected, lastEventId }));
    assert.deepEqual(board.awaiting(), []);
  }
  const { stats } = expected;
  assert.equal(stats.completedTools + stats.failedTools, stats.totalTools);
  const said = first
    .nodes()
    .flatMap(({ type, status, text }) =>
      type === "text" && status === "completed" ? [text?.trim()] : [],
    );
  assert.equal(said.filter((text) => text === "The last words.").length, 1);
  const [plan] = first.nodes().filter(({ type }) => type === "plan");
  assert.deepEqual(
    plan?.children.map(({ status }) => status),
    ["completed", "completed", "pending"],
  );
  const pending = await call<{ pending: unknown[] }>(program, "GET", "/api/pending");
  assert.deepEqual(pending.body.data.pending, []);
});

test("[W5] a permission answered in one dashboard vanishes in the other; the first answer wins", async () => {
  using place = newTestHome({ demo_delay_ms: 1 });
  await using program = await openPair(place);
  const session_id = "asked";
  using first = dashboard(program, session_id);
  using second = dashboard(program, session_id);
  await until(() => first.snapshots.length + second.snapshots.length === 2, "both");
  const { run_id } = await startRun(
    program,
    "exec echo one; sleep 2; echo two\nexec echo three\nsay done",
    { session_id },
  );
  await until(() => first.awaiting().length === 1 && second.awaiting().length === 1, "the request");
  const [node] = second.awaiting();
  assert.match(node?.inputPrompt ?? "", /echo one; sleep 2; echo two/);
  const requestId = await answer(first, session_id);
  // While the command runs nobody is asked any more.
  await until(() => second.awaiting().length === 0, "it to vanish");
  const call1 = () => second.nodes().find(({ id }) => id === node?.id);
  assert.equal(call1()?.status, "running");
  assert.deepEqual(
    [call1()?.metadata?.["resolvedBy"], call1()?.metadata?.["resolvedApproved"]],
    ["browser", true],
  );
  second.send({
    method: "permission.response",
    params: { requestId, sessionId: session_id, approved: false },
  });
  // The next one is answered in another window altogether.
  const other = await until(() => second.awaiting()[0], "the second request");
  second.send({
    method: "permission.response",
    params: { requestId: other.permissionRequestId, sessionId: "else", approved: false },
  });
  await call(program, "POST", `/api/runs/${run_id}/approvals/${other.permissionRequestId}`, {
    choice: "once",
  });
  for (const board of [first, second]) {
    await until(() => turnsDone(board) === 1, "the end");
    assert.equal(board.tree().stats.completedTools, 2);
    assertNeverBack(board);
  }
  const last = second.nodes().find(({ id }) => id === other.id);
  assert.equal(last?.metadata?.["resolvedBy"], "cli");
});

test("[W1, W3] every session is told to everybody; the list and the snapshots agree with it", async () => {
  using place = newTestHome({ demo_delay_ms: 1 });
  await using program = await openPair(place);
  await startRun(program, "pace 0\nsay before", { session_id: "old" });
  using board = dashboard(program, "old");
  await until(() => turnsDone(board) === 1, "what was before");
  const ids = ["a", "b", "c", "d"];
  await Promise.all(
    ids.map((session_id) =>
      startRun(program, `pace 3\ncount 40\nsay ${session_id}`, { session_id }),
    ),
  );
  const ended = (id: string) =>
    board.live.some(
      ({ sessionId, event }) => sessionId === id && event.method === "stream.turn_completed",
    );
  await until(() => ids.every(ended), "all of them to end");
  assertNeverBack(board);
  for (const id of ids) {
    using other = dashboard(program, id);
    await until(() => turnsDone(other) === 1, id);
    const emitted = board.live.filter(({ sessionId }) => sessionId === id);
    assert.deepEqual(other.snapshots[0]?.events, emitted);
    assert.equal(emitted[0]?.event.method, "stream.session_started");
  }
  const { body } = await call<{ sessions: { session_id: string }[] }>(
    program,
    "GET",
    "/api/sessions",
  );
  assert.equal(body.data.sessions.length, 5);
});
