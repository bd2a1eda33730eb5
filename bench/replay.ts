// Replays 100,000 events to a client: our server (auth, cursor, hash check of every event) compared with a bare node:http
// process that pages through the same rows.
import { fork } from "node:child_process";
import { once } from "node:events";
import { request } from "node:http";
import { join } from "node:path";
import { claimedRun, delta, rawDatabase, rawWriter, tempDir } from "./place.ts";
import { median, type Line } from "./stats.ts";
import { serveOnly } from "./serve-only.ts";

const EVENTS = 100_000;
const ROUNDS = 7;

export async function benchReplay(): Promise<Line[]> {
  using place = tempDir();
  const home = join(place.path, "home");
  const { journal, claim, runId } = await claimedRun(home);
  const drafts = Array.from({ length: 500 }, (_, index) => delta(index));
  for (let written = 0; written < EVENTS; written += drafts.length)
    await journal.append(claim, drafts);
  const usage = { input_tokens: null, output_tokens: null, total_tokens: null };
  const rest = { reasoning_tokens: null, cached_tokens: null, cost_usd: null };
  await journal.append(claim, [
    {
      type: "done",
      payload: {
        status: "completed",
        result: null,
        error: null,
        usage: { ...usage, ...rest },
        last_seq: 1,
      },
    },
  ]);
  await journal[Symbol.asyncDispose]();

  const path = join(place.path, "raw.db");
  const db = rawDatabase(path);
  const write = rawWriter(db);
  for (let written = 0; written < EVENTS; written += 500) write(drafts);
  const scan = db.prepare("SELECT seq, body FROM events WHERE log_key = 1 ORDER BY seq");
  scan.setReturnArrays(true);
  const child = fork(join(import.meta.dirname, "floor-reader.ts"), [
    path,
    join(place.path, "wake.sock"),
  ]);
  const [port] = (await once(child, "message")) as [number];
  await using server = await serveOnly(home);

  const [ours, floor, raw]: [number[], number[], number[]] = [[], [], []];
  for (let round = 0; round < ROUNDS; round++) {
    floor.push(await timed(`http://127.0.0.1:${port}/replay`, ""));
    ours.push(await timed(`${server.url}/api/runs/${runId}/events`, server.token));
    const began = performance.now();
    scan.all();
    raw.push(performance.now() - began);
  }
  db.close();
  child.kill("SIGKILL");
  const common = { unit: "ms", better: "lower" } as const;
  return [
    {
      what: "replay of 100,000 events over HTTP",
      ours: median(ours),
      floor: median(floor),
      ...common,
      goal: "≤ 1.1×",
    },
    {
      what: "  the same against a raw scan in one process",
      ours: median(ours),
      floor: median(raw),
      ...common,
      goal: "–",
    },
  ];
}

function timed(url: string, token: string): Promise<number> {
  const began = performance.now();
  return new Promise((resolve, reject) => {
    const outgoing = request(
      url,
      { headers: { authorization: `Bearer ${token}` }, agent: false },
      (response) => {
        let bytes = 0;
        response.on("data", (chunk: Buffer) => (bytes += chunk.byteLength));
        response.on("end", () => {
          if (bytes < EVENTS * 300) reject(new Error(`only ${bytes} bytes came`));
          resolve(performance.now() - began);
        });
      },
    );
    outgoing.on("error", reject);
    outgoing.end();
  });
}
