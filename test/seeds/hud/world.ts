// What the rows of the HUD and of the execution events look at: one real program whose journal holds every
// recorded session, and a few sessions that are run while clients of both windows watch.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { WebSocket } from "ws";
import { exchange } from "../../../src/kernel/journal/contract/store.contract.ts";
import { openSqlite } from "../../../src/kernel/journal/sqlite/sqlite.ts";
import { thought, token } from "../../support/drafts.ts";
import { call, startRun } from "../../support/http.ts";
import { newTestHome, startProgram, type Program } from "../../support/program.ts";
import { fillFromRecordings } from "../../support/recordings/recorded-home.ts";
import { followRun } from "../../support/follow.ts";
import { startAgent } from "../../support/models/scripted-agent.ts";
import { readRecordings } from "../../support/recordings/session-recordings.ts";
import { until } from "../../support/until.ts";
import { writeExtension } from "../execution/extension.ts";
import { stepsFor } from "./script.ts";
import { openPanel, type Panel } from "./window.ts";
import { FEATURES } from "../../../src/features/journal-features.ts";

export type Fields = Readonly<Record<string, unknown>>;
export type HudFrame = Fields & {
  readonly event: string;
  readonly id: string;
  readonly ts: number;
};
export type Envelope = {
  readonly eventId: number;
  readonly sessionId: string;
  readonly receivedAt: string;
  readonly event: { readonly method: string; readonly params: Fields };
};
export type Snapshot = {
  readonly lastEventId: number;
  readonly events: readonly Envelope[];
  readonly truncated?: true;
};

/** Recorded sessions that rows look at. */
const RECORDED = [
  "files",
  "plan",
  "subagents",
  "settings",
  "crash",
  "thinking",
  "failing-tools",
  "compaction",
  "parallel-tools",
  "approval",
] as const;
type Recorded = (typeof RECORDED)[number];

export type World = AsyncDisposable & {
  readonly program: Program;
  /** HUD frames of recorded sessions, to somebody who comes later. */
  readonly recorded: Readonly<Record<Recorded, readonly HudFrame[]>>;
  /** HUD frames as they happened. */
  readonly live: readonly HudFrame[];
  readonly asked: readonly HudFrame[];
  readonly stopped: readonly HudFrame[];
  /** Those of `live`, to somebody who came while the work was done, and to somebody who came later. */
  readonly joined: readonly HudFrame[];
  readonly again: readonly HudFrame[];
  readonly talk: readonly HudFrame[]; // of the session in which one talks at length
  readonly work: string; // the session in which the work was done
  /** Two clients of the daemon window, each with all that it heard. */
  readonly daemon: readonly (readonly Envelope[])[];
  readonly snapshots: Readonly<Record<Recorded | "work", Snapshot>>;
  readonly snapshot: (sessionId: string, lastEventId?: number) => Promise<Snapshot>;
  /** The feed in a browser, or why there is none. */
  readonly panel: () => Promise<Panel | string>;
};

export async function openWorld(): Promise<World> {
  await using stack = new AsyncDisposableStack();
  const { program, ids } = await startAll(stack);
  const listenTo = (path: string) => stack.use(listen(program, path));
  const hudOf = (id: string) => listenTo(`/api/hud/ws?session_id=${encodeURIComponent(id)}`);
  const snapshot = (sessionId: string, lastEventId?: number) =>
    snapshotFrom(listen(program, "/api/daemon/ws"), { sessionId, lastEventId });
  const boards = [listenTo("/api/daemon/ws"), listenTo("/ws")] as const;
  for (const { opened } of boards) await opened;

  const { live, joined, work } = await doWork(program, hudOf);
  const asked = await answerAll(program, { board: boards[0], hud: hudOf("asked") });
  const stopped = await stopOne(program, hudOf);
  for (const { frames } of boards) await until(() => turnsEnded(frames) === 3, "every turn to end");
  const emitted = async (name: Recorded) => [name, await historyOf(hudOf(ids(name)))] as const;
  const kept = async (name: Recorded) => [name, await snapshot(ids(name))] as const;
  const world = {
    program,
    live,
    joined,
    work,
    asked,
    stopped,
    again: await historyOf(hudOf(work)),
    talk: await historyOf(hudOf("s1")),
    recorded: Object.fromEntries(await Promise.all(RECORDED.map(emitted))) as World["recorded"],
    daemon: boards.map(({ frames }) => frames.filter(isEnvelope)),
    snapshots: {
      ...(Object.fromEntries(await Promise.all(RECORDED.map(kept))) as World["snapshots"]),
      work: await snapshot(work),
    },
    snapshot,
  };
  const owned = stack.move();
  let opened: Promise<Panel | string> | undefined;
  const panel = () => (opened ??= openPanel(program, owned));
  return { ...world, panel, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

async function startAll(stack: AsyncDisposableStack) {
  const place = stack.use(newTestHome({ model: "scripted/agent" }));
  mkdirSync(join(place.workspace, "sub"));
  writeFileSync(join(place.workspace, "sub/x.ts"), "export {};\n");
  await fillFromRecordings(place.home);
  await writeExtension(place.home);
  await talkAtLength(place.home);
  const known = new Map(readRecordings().map(({ name, events }) => [name, events[0]?.session_id]));
  const agent = stack.use(await startAgent(stepsFor));
  const env = { QUARTERDECK_BASE_URL: agent.baseUrl };
  const program = stack.use(await startProgram(place, { env }));
  return { program, ids: (name: Recorded) => known.get(name) ?? name };
}

/** Into the session "s1": a long message, a thought without an end, and more words than a snapshot has room for. */
async function talkAtLength(home: string): Promise<void> {
  await using journal = await openSqlite({ features: FEATURES, home });
  const words = Array.from({ length: 50 }, (_, at) =>
    token("m", `${at} ${"word ".repeat(20_000)}`),
  );
  await exchange(journal, "Talk at length. ".repeat(10), thought("r", "Hm."), ...words);
}

/** Until every turn that was begun has ended: the recorded sessions are over. */
async function historyOf(socket: Listening): Promise<readonly HudFrame[]> {
  const count = (event: string) => socket.frames.filter((frame) => frame["event"] === event).length;
  const turns = () => [count("turn_start"), count("turn_end")] as const;
  await until(() => turns()[0] > 0 && turns()[0] === turns()[1], "the past of a session");
  socket.close();
  return socket.frames as HudFrame[];
}

type Asking = { readonly sessionId: string; readonly lastEventId?: number | undefined };

async function snapshotFrom(socket: Listening, params: Asking): Promise<Snapshot> {
  await socket.opened;
  socket.send({ method: "snapshot.request", params });
  const isIt = ({ method }: Fields) => method === "snapshot.response";
  const answer = await until(() => socket.frames.find(isIt), "a snapshot");
  socket.close();
  return answer as unknown as Snapshot;
}

export const isEnvelope = (frame: Fields): frame is Fields & Envelope =>
  typeof frame["eventId"] === "number";

const turnsEnded = (frames: readonly Fields[]) =>
  frames.filter(isEnvelope).filter(({ event }) => event.method === "stream.turn_completed").length;

export function listen({ url, token }: Program, path: string) {
  const ws = new WebSocket(url.replace("http", "ws") + path, {
    headers: { authorization: `Bearer ${token}` },
  });
  const frames: Fields[] = [];
  ws.on("error", () => undefined);
  ws.on("message", (data: Buffer) => frames.push(JSON.parse(data.toString()) as Fields));
  return {
    frames: frames as readonly Fields[],
    opened: new Promise<void>((resolve) => ws.once("open", resolve)),
    send: (frame: object) => ws.send(JSON.stringify(frame)),
    close: () => ws.terminate(),
    [Symbol.dispose]: () => ws.terminate(),
  };
}
type Listening = ReturnType<typeof listen>;

/** A session in which nobody is asked. */
export async function freeSession(program: Program): Promise<string> {
  type Created = { session_id: string };
  const { body } = await call<Created>(program, "POST", "/api/sessions", { title: "Work" });
  const { session_id } = body.data;
  await call(program, "POST", `/api/sessions/${session_id}/settings`, { yolo: true });
  return session_id;
}

async function doWork(program: Program, hudOf: (id: string) => Listening) {
  const work = await freeSession(program);
  const first = hudOf(work);
  await until(() => first.frames.length > 2, "the window");
  const { run_id } = await startRun(program, "Do the work.", { session_id: work });
  await until(() => first.frames.some(({ event }) => event === "tool_end"), "some work");
  const second = hudOf(work);
  await followRun(() => program, run_id);
  const ended = ({ frames }: Listening) => frames.some(({ event }) => event === "turn_end");
  await until(() => ended(first) && ended(second), "the end");
  return { work, live: first.frames as HudFrame[], joined: second.frames as HudFrame[] };
}

/** Two requests at once: one is answered here with its id alone, the other in another window. */
async function answerAll(program: Program, { board, hud }: { board: Listening; hud: Listening }) {
  await hud.opened;
  const { run_id } = await startRun(program, "Ask me.", { session_id: "asked" });
  const requests = () =>
    board.frames.filter(isEnvelope).filter(({ event }) => event.method === "permission.request");
  await until(() => requests().length === 2, "both requests");
  const ids = requests().map(({ event }) => String(event.params["requestId"]));
  const params = { requestId: ids[0], approved: true };
  board.send({ method: "permission.response", params });
  await call(program, "POST", `/api/runs/${run_id}/approvals/${ids[1]}`, { choice: "deny" });
  await followRun(() => program, run_id);
  await until(() => hud.frames.some(({ event }) => event === "turn_end"), "the end");
  return hud.frames as HudFrame[];
}

async function stopOne(program: Program, hudOf: (id: string) => Listening) {
  const session_id = await freeSession(program);
  const hud = hudOf(session_id);
  await until(() => hud.frames.length > 2, "the window");
  const { run_id } = await startRun(program, "Go on for ever.", { session_id });
  await until(() => hud.frames.some(({ event }) => event === "tool_start"), "the call");
  await call(program, "POST", `/api/runs/${run_id}/cancel`, {});
  await until(() => hud.frames.some(({ event }) => event === "turn_end"), "the end");
  return hud.frames as HudFrame[];
}
