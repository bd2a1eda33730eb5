// A journal in another process, spoken to over IPC: what one connection does while another one is
// in the middle of something can only be tried with real processes. Processes are used again, one
// journal at a time; `stopPeers` ends them.
import { fork, type ChildProcess } from "node:child_process";
import { join } from "node:path";
import type { Journal, Wake } from "../../src/kernel/journal/journal.ts";
import type { JournalDatabase, Tx } from "../../src/kernel/journal/transaction.ts";

export type PeerCall = { id: number; method: string; args: readonly unknown[] };
export type PeerReply =
  | { kind: "result"; id: number; value: unknown }
  | { kind: "failure"; id: number; name: string; message: string; code: string | undefined }
  | { kind: "tx"; id: number; now: number } // a transaction is open there, and its work is done here
  | { kind: "wake"; wake: Wake | "all" };

type Waiting = {
  resolve: (value: unknown) => void;
  reject: (error: Error) => void;
  begin?: (now: number, id: number) => void;
};
type Peer = {
  child: ChildProcess;
  call: (method: string, args: readonly unknown[], begin?: Waiting["begin"]) => Promise<unknown>;
  listeners: Set<(wake: Wake | "all") => void>;
};

const idle: Peer[] = [];
const all: Peer[] = [];

function startPeer(): Peer {
  const child = fork(join(import.meta.dirname, "peer-process.ts"), {
    serialization: "advanced",
    execArgv: [],
  });
  const waiting = new Map<number, Waiting>();
  const listeners: Peer["listeners"] = new Set();
  let calls = 0;
  child.on("message", (reply: PeerReply) => {
    if (reply.kind === "wake") {
      for (const listener of listeners) listener(reply.wake);
      return;
    }
    const caller = waiting.get(reply.id);
    if (reply.kind === "tx") return caller?.begin?.(reply.now, reply.id);
    waiting.delete(reply.id);
    if (reply.kind === "result") caller?.resolve(reply.value);
    else {
      const { name, message, code } = reply;
      caller?.reject(Object.assign(new Error(message), { name, code }));
    }
  });
  const peer: Peer = {
    child,
    listeners,
    call: (method, args, begin) =>
      new Promise((resolve, reject) => {
        calls += 1;
        waiting.set(calls, { resolve, reject, ...(begin && { begin }) });
        child.send({ id: calls, method, args } satisfies PeerCall);
      }),
  };
  all.push(peer);
  return peer;
}

/** The home of a SQLite journal, or the address of a Postgres. */
export type PeerPlace = { name: string } & ({ home: string } | { url: string });

export async function connectPeer(options: PeerPlace): Promise<Journal> {
  const peer = idle.pop() ?? startPeer();
  const epoch = await peer.call("open", [options]);
  const own: Partial<Journal> = {
    epoch: epoch as string,
    database: databaseOf(peer),
    storage: () => ({ backend: "url" in options ? "postgres" : "sqlite", away: null }),
    watch(listener) {
      peer.listeners.add(listener);
      return () => void peer.listeners.delete(listener);
    },
    async [Symbol.asyncDispose]() {
      peer.listeners.clear();
      await peer.call("close", []);
      idle.push(peer);
    },
  };
  return new Proxy(own, {
    get: (target, method) => {
      if (method in target || typeof method === "symbol") return Reflect.get(target, method);
      if (method === "then") return undefined; // a journal is not a promise
      return (...args: unknown[]) => peer.call(method, args);
    },
  }) as Journal;
}

/** Its statements go to the other process one by one; the transaction is held there meanwhile. */
function databaseOf({ call }: Peer): JournalDatabase {
  const ask =
    (method: string, ...first: unknown[]) =>
    (...args: unknown[]) =>
      call(method, [...first, ...args]);
  const sql = { get: ask("sql.get"), all: ask("sql.all"), rows: ask("sql.rows") };
  const transact: JournalDatabase["transact"] = async (about, work) => {
    let result: unknown;
    const begin: Waiting["begin"] = (now, id) => {
      const names = ["get", "all", "run", "runAll", "alone", "log", "append"];
      const calls = Object.fromEntries(names.map((name) => [name, ask(`tx.${name}`, id)]));
      const tx = { now, clean: <Value>(value: Value) => value, ...calls } as unknown as Tx;
      work(tx).then(
        (value) => {
          result = value;
          return call("tx.end", [id]);
        },
        (error: Error) => call("tx.end", [id, error.message]),
      );
    };
    await call("transact", [about], begin);
    return result as never;
  };
  return { sql, transact } as unknown as JournalDatabase;
}

export function stopPeers(): void {
  for (const { child } of all.splice(0)) child.kill();
}
