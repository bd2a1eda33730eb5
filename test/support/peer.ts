// A journal in another process, over IPC: what one connection does while another one is in a transaction can only be
// tested with real processes. Processes are reused, one journal at a time; `stopPeers` ends them.
import { fork, type ChildProcess } from "node:child_process";
import { join } from "node:path";
import type { Journal, Wake } from "../../src/kernel/journal/journal.ts";

export type PeerCall = { id: number; method: string; args: readonly unknown[] };
export type PeerReply =
  | { kind: "result"; id: number; value: unknown }
  | { kind: "failure"; id: number; name: string; message: string; code: string | undefined }
  | { kind: "wake"; wake: Wake | "all" };

type Waiting = { resolve: (value: unknown) => void; reject: (error: Error) => void };
type Peer = {
  child: ChildProcess;
  call: (method: string, args: readonly unknown[]) => Promise<unknown>;
  listeners: Set<(wake: Wake | "all") => void>;
};

const idle: Peer[] = [];
const all: Peer[] = [];
const peers = new WeakMap<Journal, Peer>();

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
    call: (method, args) =>
      new Promise((resolve, reject) => {
        calls += 1;
        waiting.set(calls, { resolve, reject });
        child.send({ id: calls, method, args } satisfies PeerCall);
      }),
  };
  all.push(peer);
  return peer;
}

/** The home of a SQLite journal, or the address of a Postgres. */
export type PeerPlace = { name: string } & ({ home: string } | { url: string });

const PARTS: ReadonlySet<string> = new Set([
  "commands",
  "reads",
  "registry",
  "systemLog",
  "homeFiles",
  "upkeep",
] satisfies (keyof Journal)[]);

function call(peer: Peer, method: string) {
  return (...args: unknown[]) => peer.call(method, args);
}

function partOf(peer: Peer, part: string): object {
  return new Proxy({}, { get: (_, method) => call(peer, `${part}.${String(method)}`) });
}

export async function connectPeer(options: PeerPlace): Promise<Journal> {
  const peer = idle.pop() ?? startPeer();
  const epoch = await peer.call("open", [options]);
  const own: Partial<Journal> = {
    epoch: epoch as string,
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
  const journal = new Proxy(own, {
    get: (target, method) => {
      if (method in target || typeof method === "symbol") return Reflect.get(target, method);
      if (method === "then") return undefined; // a journal is not a promise
      return PARTS.has(method) ? partOf(peer, method) : call(peer, method);
    },
  }) as Journal;
  peers.set(journal, peer);
  return journal;
}

/**
 * A feature's store, in the process its journal is in: a transaction held there must not wait for this
 * process, which may itself be blocked by its lock.
 */
export function storeIn<Store extends object>(
  module: string,
  make: (journal: Journal) => Store,
): (journal: Journal) => Store {
  return (journal) => {
    const peer = peers.get(journal);
    if (!peer) return make(journal);
    return new Proxy({} as Store, {
      get: (_, method) => {
        return (...args: unknown[]) => peer.call("store", [module, make.name, method, args]);
      },
    });
  };
}

export function stopPeers(): void {
  for (const { child } of all.splice(0)) child.kill();
}
