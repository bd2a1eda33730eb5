// The load of a soak: runs in many workspaces, windows that connect and disconnect, terminals that are opened and closed.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { connectFeed } from "../../test/support/windows/feed-place.ts";
import { followRun } from "../../test/support/follow.ts";
import { call, readEvents, startRun, type Server } from "../../test/support/http.ts";
import type { TestHome } from "../../test/support/program.ts";

const WORKSPACES = 24; // more than a runner's limit of tool hosts
const OFTEN = 4; // most runs use these workspaces
const RARE = 8; // every n-th run uses another one
const RUNS_A_ROUND = 400; // after that, new sessions
const WORKERS = 3;
const WATCHERS = 4;
const TERMINAL_EVERY_MS = 5_000;

export type Counts = { runs: number; failed: number; connections: number; terminals: number };

export async function keepBusy(
  server: Server,
  place: TestHome,
  counts: Counts,
  signal: AbortSignal,
) {
  const sessions = ["soak-0-0"];
  const work = async () => {
    while (!signal.aborted) await oneRun(server, place, { counts, sessions });
  };
  const watch = async (native: boolean) => {
    while (!signal.aborted) await oneLook(server, sessions, native, counts);
  };
  const type = async () => {
    while (!signal.aborted) {
      await oneTerminal(server, sessions.at(-1) ?? "", counts);
      await delay(TERMINAL_EVERY_MS, undefined, { signal }).catch(() => undefined);
    }
  };
  await Promise.all([
    ...Array.from({ length: WORKERS }, work),
    ...Array.from({ length: WATCHERS }, (_, at) => watch(at % 2 === 0)),
    type(),
  ]);
}

type Shared = { readonly counts: Counts; readonly sessions: string[] };

async function oneRun(
  server: Server,
  place: TestHome,
  { counts, sessions }: Shared,
): Promise<void> {
  counts.runs += 1;
  const at = counts.runs;
  const where = at % RARE === 0 ? (at / RARE) % WORKSPACES : at % OFTEN;
  const workspace = join(place.workspace, `w${where}`);
  mkdirSync(workspace, { recursive: true });
  const session_id = `soak-${where}-${Math.floor(at / RUNS_A_ROUND)}`;
  const script = `pace 1\nthink what to do\ncount 40\nwrite f${at % 50} ${"x".repeat(400)}\nexec echo ${at}\nsay done`;
  try {
    const { run_id } = await startRun(server, script, { session_id, workspace });
    if (!sessions.includes(session_id)) sessions.push(session_id);
    const { events } = await followRun(() => server, run_id);
    const end = events.at(-1);
    if (end?.type !== "done" || end.payload.status !== "completed") counts.failed += 1;
  } catch {
    counts.failed += 1;
  }
}

/** A stream for some events, or a feed for a second or two. */
async function oneLook(
  server: Server,
  sessions: readonly string[],
  native: boolean,
  counts: Counts,
) {
  counts.connections += 1;
  const session = sessions[Math.floor(Math.random() * sessions.length)] ?? "";
  if (native) {
    const take = 50 + Math.floor(Math.random() * 400);
    const path = `/api/sessions/${session}/events`;
    await readEvents(server, path, { take, limitMs: 3_000 });
    return;
  }
  const feed = await connectFeed(server, "?board=1");
  feed.watch(session);
  await delay(500 + Math.random() * 1_500);
  await feed.close();
}

async function oneTerminal(server: Server, session: string, counts: Counts): Promise<void> {
  const opened = await call<{ terminal_id: string }>(
    server,
    "POST",
    `/api/sessions/${session}/terminals`,
    { cols: 80, rows: 24 },
  );
  if (!opened.body.ok) return;
  counts.terminals += 1;
  await call(server, "POST", `/api/terminals/${opened.body.data.terminal_id}/close`, {});
}
