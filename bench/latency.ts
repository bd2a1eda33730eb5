// The latency from an append in the runner's process to the bytes at a client of the server's process, compared with the
// minimum for two processes: node:sqlite, a wake-up over a unix socket, SELECT, write.
import { fork } from "node:child_process";
import { once } from "node:events";
import { request } from "node:http";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { claimedRun, delta, rawDatabase, rawWriter, tempDir } from "./place.ts";
import { newTestHome } from "../test/support/program.ts";
import { end, serveOnly } from "./serve-only.ts";
import { connect } from "node:net";
import { quantile, type Line } from "./stats.ts";

const EVENTS = 2_000;
const GAP_MS = 2;

export async function benchLatency(): Promise<Line[]> {
  const lines: Line[] = [];
  for (const clients of [1, 100]) {
    const floor = await floorLatency(clients);
    const ours = await ourLatency(clients);
    for (const [name, q] of [
      ["p50", 0.5],
      ["p99", 0.99],
    ] as const) {
      lines.push({
        what: `append → ${clients} client${clients > 1 ? "s" : ""}, ${name}`,
        ours: quantile(ours, q),
        floor: quantile(floor, q),
        unit: "ms",
        better: "lower",
        goal: "≤ 1.25×",
      });
    }
  }
  return lines;
}

async function ourLatency(clients: number): Promise<number[]> {
  using place = newTestHome();
  await using server = await serveOnly(place.home);
  const { journal, claim, runId } = await claimedRun(place.home);
  await using _ = journal;
  const seen = await openClients(`${server.url}/api/runs/${runId}/events`, server.token, clients);
  return await measure(seen, async (index) => void (await journal.append(claim, [delta(index)])));
}

async function floorLatency(clients: number): Promise<number[]> {
  using place = tempDir();
  const path = join(place.path, "raw.db");
  const db = rawDatabase(path);
  const write = rawWriter(db);
  const socket = join(place.path, "wake.sock");
  const child = fork(join(import.meta.dirname, "floor-reader.ts"), [path, socket]);
  const [port] = (await once(child, "message")) as [number];
  const wake = connect(socket);
  await once(wake, "connect");
  const seen = await openClients(`http://127.0.0.1:${port}/`, "", clients);
  const latencies = await measure(seen, async (index) => {
    write([delta(index)]);
    wake.write("w");
  });
  wake.destroy();
  db.close();
  await end(child);
  return latencies;
}

type Arrivals = { count: number; arrived: (count: number) => Promise<void> };

/** Time from before the append until the last client has the event. */
async function measure(
  seen: Arrivals,
  append: (index: number) => Promise<void>,
): Promise<number[]> {
  const latencies: number[] = [];
  for (let index = 0; index < EVENTS; index++) {
    const began = performance.now();
    const arrived = seen.arrived(index + 1);
    await append(index);
    await arrived;
    if (index >= EVENTS / 10) latencies.push(performance.now() - began);
    if (index % 8 === 0) await delay(GAP_MS);
  }
  return latencies;
}

async function openClients(url: string, token: string, clients: number): Promise<Arrivals> {
  const counts = Array.from({ length: clients }, () => 0);
  let base = 0;
  let waiting: { target: number; resolve: () => void } | undefined;
  const check = () => {
    if (waiting && Math.min(...counts) - base >= waiting.target) waiting.resolve();
  };
  await Promise.all(
    counts.map(
      (_, index) =>
        new Promise<void>((resolve) => {
          const outgoing = request(
            url,
            { headers: { authorization: `Bearer ${token}` }, agent: false },
            (response) => {
              response.on("data", (chunk: Buffer) => {
                for (let at = chunk.indexOf("id: "); at >= 0; at = chunk.indexOf("id: ", at + 4)) {
                  counts[index] = (counts[index] as number) + 1;
                }
                check();
              });
              response.on("error", () => undefined);
              setTimeout(resolve, 300); // the earlier events have arrived
            },
          );
          outgoing.on("error", () => undefined);
          outgoing.end();
        }),
    ),
  );
  base = Math.min(...counts);
  return {
    count: clients,
    arrived: (target) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting = { target, resolve };
      check();
      return promise;
    },
  };
}
