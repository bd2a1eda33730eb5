// Postgres: appends per second and append-to-client latency with 1, 4 and 16 runners, each a separate process, compared
// with bare multi-row inserts (and insert + NOTIFY) with the same client, server and synchronous_commit=on.
import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import pg from "pg";
import { openPostgres } from "../src/kernel/journal/postgres/postgres.ts";
import { startPostgres, type Databases } from "../test/support/postgres/postgres.ts";
import type { Asked, Emitted } from "./postgres-writer.ts";
import { end } from "./serve-only.ts";
import { median, quantile, type Line } from "./stats.ts";
import { FEATURES } from "../src/features/journal-features.ts";

const RUNNERS = [1, 4, 16];
const BATCH = 64;
const ROUNDS = 5; // alternating, as with SQLite
const ROUND_MS = 1_000;
const LATENCY_MS = 4_000;
const GAP_MS = 20; // of one runner: a model's stream

type Kind = "ours" | "bare";

export async function benchPostgres(): Promise<Line[]> {
  await using server = await startPostgres({ fsync: true });
  const lines: Line[] = [];
  for (const runners of RUNNERS) lines.push(await appends(server, runners));
  for (const runners of RUNNERS) lines.push(...(await latency(server, runners)));
  return lines;
}

async function appends(server: Databases, runners: number): Promise<Line> {
  const url = await server.database();
  await prepare(url);
  await using ours = await writers("ours", url, runners);
  await using bare = await writers("bare", url, runners);
  const rates: Record<Kind, number[]> = { ours: [], bare: [] };
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const kind of ["bare", "ours"] as const) {
      const group = kind === "ours" ? ours : bare;
      const emitted = await group.ask({ batch: BATCH, ms: ROUND_MS, gapMs: 0 });
      if (round > 0) rates[kind].push(emitted.reduce((sum, { perSecond }) => sum + perSecond, 0));
    }
  }
  return {
    what: `Postgres, ${runners} runner${runners > 1 ? "s" : ""}: appends, batch ${BATCH}`,
    ours: median(rates.ours),
    floor: median(rates.bare),
    unit: "events/s",
    better: "higher",
    goal: "≥ 0.7×",
  };
}

async function latency(server: Databases, runners: number): Promise<Line[]> {
  const taken: Record<Kind, number[]> = { ours: [], bare: [] };
  for (const kind of ["bare", "ours"] as const) {
    const url = await server.database();
    await prepare(url);
    const seen = taken[kind];
    await using _reader = kind === "ours" ? await readOurs(url, seen) : await readBare(url, seen);
    await using group = await writers(kind, url, runners);
    await group.ask({ batch: 1, ms: LATENCY_MS, gapMs: GAP_MS });
  }
  const name = `Postgres, ${runners} runner${runners > 1 ? "s" : ""}: append → client`;
  return [["p50", 0.5] as const, ["p99", 0.99] as const].map(([what, q]) => ({
    what: `${name}, ${what}`,
    ours: quantile(taken.ours, q),
    floor: quantile(taken.bare, q),
    unit: "ms",
    better: "lower" as const,
    goal: what === "p99" ? "≤ 3×" : "–",
  }));
}

async function prepare(url: string): Promise<void> {
  await (await openPostgres({ features: FEATURES, url }))[Symbol.asyncDispose]();
  await using client = await connected(url);
  await client.query(`CREATE TABLE raw (log_key bigint NOT NULL, seq bigint NOT NULL, session_key bigint NOT NULL,
    session_seq bigint NOT NULL, checksum bigint NOT NULL, chars bigint NOT NULL, body text NOT NULL,
    PRIMARY KEY (log_key, seq)); CREATE UNIQUE INDEX ON raw (session_key, session_seq)`);
}

async function connected(url: string) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
}

/** CLOCK_MONOTONIC is the same for all processes of a machine; the event holds the time of its append. */
function note(body: string, seen: number[]): void {
  const written = /@(\d+)@/.exec(body)?.[1];
  if (written) seen.push(Number(process.hrtime.bigint() - BigInt(written)) / 1e6);
}

async function readOurs(url: string, seen: number[]): Promise<AsyncDisposable> {
  const journal = await openPostgres({ features: FEATURES, url, name: "reader" });
  const reading = new Map<string, { at: number; busy: boolean; again: boolean }>();
  const read = async (logId: string) => {
    const state = reading.get(logId) ?? { at: 0, busy: false, again: false };
    reading.set(logId, state);
    state.again = true;
    if (state.busy) return;
    state.busy = true;
    while (state.again) {
      state.again = false;
      const page = await journal.readRun(logId, state.at, 200);
      for (const [seq, , body] of page?.rows ?? []) {
        state.at = seq;
        note(body, seen);
      }
    }
    state.busy = false;
  };
  journal.watch((wake) => {
    if (wake !== "all") void read(wake.logId);
  });
  return journal;
}

async function readBare(url: string, seen: number[]): Promise<AsyncDisposable> {
  const listener = await connected(url);
  const reader = await connected(url);
  const at = new Map<string, number>();
  const emitted = new Set<string>();
  let reading: Promise<void> | undefined;
  const text = "SELECT seq, body FROM raw WHERE log_key = $1 AND seq > $2 ORDER BY seq";
  const read = async () => {
    for (const key of emitted) {
      emitted.delete(key);
      const { rows } = await reader.query({ name: "read", text, values: [key, at.get(key) ?? 0] });
      for (const { seq, body } of rows as { seq: string; body: string }[]) {
        at.set(key, Number(seq));
        note(body, seen);
      }
    }
    reading = undefined;
  };
  listener.on("notification", ({ payload = "" }) => {
    emitted.add(payload);
    reading ??= read();
  });
  await listener.query("LISTEN raw");
  return {
    async [Symbol.asyncDispose]() {
      await listener.end();
      await reading;
      await reader.end();
    },
  };
}

async function writers(kind: Kind, url: string, count: number) {
  const children = await Promise.all(
    Array.from({ length: count }, (_, at) => writer(kind, url, at)),
  );
  return {
    ask: (asked: Asked) => Promise.all(children.map((child) => answered(child, asked))),
    [Symbol.asyncDispose]: async () => void (await Promise.all(children.map(end))),
  };
}

async function writer(kind: Kind, url: string, at: number): Promise<ChildProcess> {
  const child = fork(join(import.meta.dirname, "postgres-writer.ts"), [kind, url, String(at)]);
  await once(child, "message"); // it is ready
  return child;
}

async function answered(child: ChildProcess, asked: Asked): Promise<Emitted> {
  child.send(asked);
  const [emitted] = (await once(child, "message")) as [Emitted];
  return emitted;
}
