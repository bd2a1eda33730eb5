// The cost of a window: the translation of an event into each dialect, and a thousand readers of one run compared with
// plain node:http responses that are written the same bytes.
import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { newTestHome } from "../test/support/program.ts";
import { benchEncoding } from "./encoding.ts";
import { claimedRun, rawDatabase, rawWriter, tempDir } from "./place.ts";
import { end, serveOnly } from "./serve-only.ts";
import { quantile, type Line } from "./stats.ts";
import type { Draft } from "../src/kernel/events/events.ts";

const READERS = 1_000;
const PER_SECOND = 50;
const SECONDS = 8;

export async function benchWindows(): Promise<Line[]> {
  const lines = benchEncoding();
  const floor = await floorFanout();
  for (const [name, window] of WINDOWS) {
    const ours = await ourFanout(window);
    lines.push(...compare(name, ours, floor));
  }
  return lines;
}

type Window = { path: (ids: { runId: string; sessionId: string }) => string; socket?: true };
const WINDOWS: readonly [string, Window][] = [
  ["native", { path: ({ runId }) => `/api/runs/${runId}/events` }],
  ["console", { path: ({ sessionId }) => `/api/gui/stream/session/${sessionId}` }],
  ["daemon", { path: () => "/api/daemon/ws", socket: true }],
];

type Fanout = { delivered: number; latencies: number[]; kbPerReader: number };

function compare(name: string, ours: Fanout, floor: Fanout): Line[] {
  const what = (measure: string) => `${name}: ${READERS} readers, ${PER_SECOND}/s, ${measure}`;
  const perSecond = ({ delivered }: Fanout) => delivered / SECONDS;
  return [
    {
      what: what("delivered/s"),
      ours: perSecond(ours),
      floor: perSecond(floor),
      unit: "",
      better: "higher",
      goal: "≥ 0.8×",
    },
    ...([0.5, 0.99] as const).map((q): Line => {
      const [a, b] = [quantile(ours.latencies, q), quantile(floor.latencies, q)];
      const rest = { unit: "ms", better: "lower", goal: "≤ 1.25×" } as const;
      return { what: what(`p${q * 100}`), ours: a, floor: b, ...rest };
    }),
    {
      what: what("per idle reader"),
      ours: ours.kbPerReader,
      floor: floor.kbPerReader,
      unit: "KB",
      better: "lower",
      goal: "≤ 30 KB",
    },
  ];
}

async function ourFanout({ path, socket }: Window): Promise<Fanout> {
  using place = newTestHome();
  await using server = await serveOnly(place.home);
  const { journal, claim, runId } = await claimedRun(place.home);
  await using _ = journal;
  const address = server.url.replace("http://", "");
  const where = path({ runId, sessionId: claim.sessionId });
  const asked = [address, where, server.token, String(READERS), socket ? "ws" : ""];
  return await measure(server.pid ?? process.pid, asked, async (index) => {
    await journal.append(claim, [stamped(index)]);
  });
}

async function floorFanout(): Promise<Fanout> {
  using place = tempDir();
  const path = join(place.path, "raw.db");
  const db = rawDatabase(path);
  const write = rawWriter(db);
  const bell = join(place.path, "wake.sock");
  const child = fork(join(import.meta.dirname, "floor-reader.ts"), [path, bell]);
  const [port] = (await once(child, "message")) as [number];
  const wake = connect(bell);
  await once(wake, "connect");
  const asked = [`127.0.0.1:${port}`, "/", "none", String(READERS), ""];
  const result = await measure(child.pid ?? process.pid, asked, async (index) => {
    write([stamped(index)]);
    wake.write("w");
  });
  wake.destroy();
  db.close();
  await end(child);
  return result;
}

async function measure(
  pid: number,
  asked: readonly string[],
  append: (index: number) => Promise<void>,
): Promise<Fanout> {
  const before = rssKb(pid);
  const clients = fork(join(import.meta.dirname, "fanout-clients.ts"), [...asked]);
  await once(clients, "message"); // all of them are connected
  await delay(1_000);
  const kbPerReader = (rssKb(pid) - before) / READERS;
  const began = performance.now();
  for (let index = 0; index < PER_SECOND * SECONDS; index += 1) {
    const due = began + (index * 1_000) / PER_SECOND;
    await delay(Math.max(0, due - performance.now()));
    await append(index);
  }
  await delay(500);
  const result = await resultOf(clients);
  await end(clients);
  return { ...result, kbPerReader };
}

async function resultOf(clients: ChildProcess) {
  clients.send("stop");
  const [result] = (await once(clients, "message")) as [{ delivered: number; latencies: number[] }];
  return result;
}

/** A token with the time of its append. It alternates between two message ids, so that nothing merges. */
function stamped(index: number): Draft {
  const delta = `t=${process.hrtime.bigint()} `;
  const message_id = index % 2 ? "m1.1" : "m1.2";
  return { type: "token.delta", payload: { message_id, delta, content_type: "text" } };
}

function rssKb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? Number.NaN);
}
