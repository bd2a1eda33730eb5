// Wake-ups between processes by LISTEN and NOTIFY, on a separate connection. They are sent after the commit and not in
// it: a NOTIFY inside would serialise all commits of the database. While one is in flight, and for a moment after it, the
// next ones are coalesced, so a busy process sends few. Most wake-ups are tokens, which only windows need: a runner does
// not listen to them, or sixteen runners would each get every token. A lost wake-up costs latency, never an event: a
// process that listens again reads everything, and a slow poll finds what was missed.
import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import type { Wake } from "../journal.ts";
import { formatWake, parseWake } from "../wakes.ts";
import { clientConfig, type Connection, type ConnectionOptions } from "./connection.ts";

/** One channel for every process, one for windows only. */
const CHANNELS = { everyone: "quarterdeck", windows: "quarterdeck_windows" } as const;
type Audience = keyof typeof CHANNELS;
const GATHER_MS = 5;
const MAX_GATHER_MS = 50;
const MAX_PAYLOAD = 7_900; // Postgres takes 8,000 bytes
const POLL_MS = 2_000;

export type Listening = {
  readonly connection: Connection;
  readonly options: ConnectionOptions;
  readonly heard: (wake: Wake | "all") => void;
  readonly audience: Audience;
};

export class WakeUps implements AsyncDisposable {
  readonly #listening: Listening;
  readonly #self = randomUUID();
  readonly #waiting: Record<Audience, Map<string, Wake>> = {
    everyone: new Map(),
    windows: new Map(),
  }; // by log: only its newest counts
  readonly #poll: NodeJS.Timeout;
  #client: pg.Client | undefined;
  #sending = false;
  #closed = false;

  private constructor(listening: Listening) {
    this.#listening = listening;
    this.#poll = pollForChanges(listening.connection, () => listening.heard("all"));
  }

  static async open(listening: Listening): Promise<WakeUps> {
    const wakeUps = new WakeUps(listening);
    await listening.connection.persist(() => wakeUps.#connect());
    return wakeUps;
  }

  publish(wakes: readonly Wake[], audience: Audience): void {
    const waiting = this.#waiting[audience];
    for (const wake of wakes) {
      const work = wake.work || waiting.get(wake.logId)?.work === true;
      waiting.set(wake.logId, { ...wake, work });
    }
    void this.#send();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    clearInterval(this.#poll);
    await this.#client?.end().catch(() => undefined);
  }

  async #connect(): Promise<void> {
    if (this.#closed) return;
    const client = new pg.Client({
      ...clientConfig(this.#listening.options),
      query_timeout: 10_000,
    });
    client.on("error", () => undefined); // "end" follows
    client.on("notification", ({ payload = "" }) => {
      const [from, ...lines] = payload.split("\n");
      if (from === this.#self) return; // already delivered in this process
      for (const line of lines) this.#listening.heard(parseWake(line) ?? "all");
    });
    try {
      await client.connect();
      await client.query("SET synchronous_commit = off"); // nothing is stored here
      await client.query(`LISTEN ${CHANNELS.everyone}`);
      if (this.#listening.audience === "windows") await client.query(`LISTEN ${CHANNELS.windows}`);
    } catch (error) {
      void client.end().catch(() => undefined);
      throw error;
    }
    client.once("end", () => {
      if (this.#client === client) this.#client = undefined;
      if (!this.#closed) void this.#again();
    });
    this.#client = client;
  }

  async #again(): Promise<void> {
    try {
      await this.#listening.connection.persist(() => this.#connect(), Number.POSITIVE_INFINITY);
      if (!this.#closed) this.#listening.heard("all"); // whatever was missed meanwhile
    } catch {
      if (!this.#closed) setTimeout(() => void this.#again(), POLL_MS).unref(); // refused for now: the poll still works
    }
  }

  async #notify(client: pg.Client, audience: Audience): Promise<void> {
    const waiting = this.#waiting[audience];
    if (waiting.size === 0) return;
    const values = [CHANNELS[audience], coalesced(this.#self, waiting)];
    await client.query({ name: "notify", text: "SELECT pg_notify($1, $2)", values });
  }

  async #send(): Promise<void> {
    if (this.#sending) return;
    this.#sending = true;
    try {
      while (this.#client && AUDIENCES.some((audience) => this.#waiting[audience].size > 0)) {
        const began = performance.now();
        for (const audience of AUDIENCES) await this.#notify(this.#client, audience);
        await delay(pauseAfter(performance.now() - began));
      }
    } catch {
      for (const audience of AUDIENCES) this.#waiting[audience].clear(); // others poll
    } finally {
      this.#sending = false;
    }
  }
}

const AUDIENCES = ["everyone", "windows"] as const satisfies readonly Audience[];

/** Sends less often to a busy database. */
function pauseAfter(tookMs: number): number {
  return Math.min(MAX_GATHER_MS, Math.max(GATHER_MS, 4 * tookMs));
}

/** Takes as many waiting wake-ups as fit into one notification. */
function coalesced(self: string, waiting: Map<string, Wake>): string {
  let payload = self;
  for (const [logId, wake] of waiting) {
    const line = formatWake(wake);
    if (Buffer.byteLength(payload) + Buffer.byteLength(line) + 1 > MAX_PAYLOAD) break;
    payload += `\n${line}`;
    waiting.delete(logId);
  }
  return payload;
}

/** Whether any process has committed since the last call. */
function pollForChanges({ pool }: Connection, changed: () => void): NodeJS.Timeout {
  let seen = "";
  let asking = false;
  const look = async () => {
    if (asking) return;
    asking = true;
    try {
      const sql = "SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS now";
      const now = (await pool.query<{ now: string }>(sql)).rows[0]?.now ?? "";
      if (seen !== "" && seen !== now) changed();
      seen = now;
    } finally {
      asking = false;
    }
  };
  return setInterval(() => void look().catch(() => undefined), POLL_MS).unref(); // away: other statements report it
}
