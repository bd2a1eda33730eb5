// Wake-ups between processes by LISTEN and NOTIFY, on a connection of their own. They are sent after the commit and
// not in it: a NOTIFY inside would make all commits of the database wait for each other. While one is under way the
// next ones gather, so a busy process sends few. A wake that is lost costs latency, never an event: whoever listens
// again is told to look at everything, and a slow poll notices what nobody told.
import pg from "pg";
import type { Wake } from "../journal.ts";
import { clientConfig, isLost, type Connection, type ConnectionOptions } from "./connection.ts";

const CHANNEL = "quarterdeck";
const MAX_PAYLOAD = 7_900; // Postgres takes 8,000 bytes
const POLL_MS = 2_000;

export interface WakeUps extends AsyncDisposable {
  publish(wakes: readonly Wake[]): void;
}

export type Listening = {
  readonly connection: Connection;
  readonly options: ConnectionOptions;
  readonly heard: (wake: Wake | "all") => void;
};

export async function listen({ connection, options, heard }: Listening): Promise<WakeUps> {
  const waiting = new Map<string, string>(); // by log: only its newest counts
  const self = `${process.pid}.${Math.random().toString(36).slice(2)}`;
  let client: pg.Client | undefined;
  let sending = false;
  let closed = false;

  async function connect(): Promise<void> {
    const fresh = new pg.Client({ ...clientConfig(options), query_timeout: 10_000 });
    fresh.on("error", () => undefined); // "end" follows
    fresh.on("notification", ({ payload = "" }) => {
      const [from, ...lines] = payload.split("\n");
      if (from !== self) for (const line of lines) heard(wakeIn(line));
    });
    try {
      await fresh.connect();
      await fresh.query("SET synchronous_commit = off"); // nothing is stored here
      await fresh.query(`LISTEN ${CHANNEL}`);
    } catch (error) {
      void fresh.end().catch(() => undefined);
      throw error;
    }
    fresh.once("end", () => {
      if (client === fresh) client = undefined;
      if (!closed) void again();
    });
    client = fresh;
  }

  async function again(): Promise<void> {
    try {
      await connection.persist(async () => {
        if (!closed) await connect();
      }, Number.POSITIVE_INFINITY);
      if (!closed) heard("all"); // whatever was told meanwhile
    } catch {
      if (!closed) setTimeout(() => void again(), POLL_MS).unref(); // it refuses us for now: the poll carries on
    }
  }

  async function send(): Promise<void> {
    if (sending) return;
    sending = true;
    try {
      while (waiting.size > 0 && client) {
        const payload = gathered(self, waiting);
        await client.query("SELECT pg_notify($1, $2)", [CHANNEL, payload]);
      }
    } catch {
      waiting.clear(); // others poll
    } finally {
      sending = false;
    }
  }

  const poll = pollForChanges(connection, () => heard("all"));
  await connection.persist(connect);
  return {
    publish(wakes) {
      for (const { logId, seq, sessionId, sessionSeq } of wakes) {
        waiting.set(logId, `${logId} ${seq} ${sessionId} ${sessionSeq}`);
      }
      void send();
    },
    async [Symbol.asyncDispose]() {
      closed = true;
      clearInterval(poll);
      await client?.end().catch(() => undefined);
    },
  };
}

/** As many as fit into one notification, taken out of what waits. */
function gathered(self: string, waiting: Map<string, string>): string {
  let payload = self;
  for (const [logId, line] of waiting) {
    if (Buffer.byteLength(payload) + Buffer.byteLength(line) + 1 > MAX_PAYLOAD) break;
    payload += `\n${line}`;
    waiting.delete(logId);
  }
  return payload;
}

function wakeIn(line: string): Wake | "all" {
  const [logId = "", seq, sessionId = "", sessionSeq] = line.split(" ");
  if (!logId || !sessionId) return "all";
  return { logId, seq: Number(seq), sessionId, sessionSeq: Number(sessionSeq) };
}

/** Whether anybody has committed anything since the last look. */
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
    } catch (error) {
      if (!isLost(error)) throw error; // whoever works will notice that it is away
    } finally {
      asking = false;
    }
  };
  return setInterval(() => void look().catch(() => undefined), POLL_MS).unref();
}
