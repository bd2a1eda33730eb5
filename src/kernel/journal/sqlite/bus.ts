// Wake-ups between processes: every process listens on its own socket and greets the others, so there is no hub to
// lose. A wake-up carries only (log, seq); a lost one costs latency, never an event, because the journal also polls
// (see sqlite.ts).
import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, readdirSync, unlinkSync } from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Wake } from "../journal.ts";
import { formatWake, parseWake } from "../wakes.ts";

const ENDING = ".sock";
const MAX_SOCKET_PATH = 100; // the kernel's limit is 108 bytes
const MAX_UNSENT = 65_536; // a stalled peer will poll; it must not cost us memory

export interface Bus extends Disposable {
  publish(wakes: readonly Wake[]): void;
}

/** `name` must be unique among the processes of this home, for example the pid. */
export function openBus(home: string, name: string, heard: (wake: Wake) => void): Bus {
  const directory = socketDirectory(home);
  const peers = new Set<Socket>();

  function adopt(socket: Socket): void {
    peers.add(socket);
    socket.unref();
    socket.on("error", () => socket.destroy()).on("close", () => peers.delete(socket));
    const lines = createInterface({ input: socket });
    lines.on("line", (line) => {
      const wake = parseWake(line);
      if (wake) heard(wake);
    });
    lines.on("error", () => undefined); // the socket's own handler has handled it
  }

  const own = join(directory, `${name}${ENDING}`);
  const server = listen(own, adopt);
  for (const file of readdirSync(directory)) {
    const path = join(directory, file);
    if (path !== own && file.endsWith(ENDING)) greet(path, adopt);
  }

  return {
    publish(wakes) {
      if (peers.size === 0 || wakes.length === 0) return;
      const text = wakes.map((wake) => `${formatWake(wake)}\n`).join("");
      for (const peer of peers) if (peer.writableLength < MAX_UNSENT) peer.write(text);
    },
    [Symbol.dispose]() {
      server.close();
      for (const peer of peers) peer.destroy();
      remove(own);
    },
  };
}

/** The names of all processes that have this home's journal open, including stopped (SIGSTOP) ones. */
export async function namesOnBus(home: string): Promise<readonly string[]> {
  const directory = socketDirectory(home);
  const names = readdirSync(directory).filter((file) => file.endsWith(ENDING));
  const there = await Promise.all(names.map((file) => isHeld(join(directory, file))));
  return names.filter((_, index) => there[index]).map((file) => file.slice(0, -ENDING.length));
}

function isHeld(path: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect(path, () => {
    socket.destroy();
    resolve(true);
  });
  socket.once("error", ({ code }: NodeJS.ErrnoException) =>
    resolve(code !== "ECONNREFUSED" && code !== "ENOENT"),
  );
  return promise;
}

function listen(path: string, adopt: (socket: Socket) => void): Server {
  remove(path); // left behind by a killed process of the same name
  const server = createServer(adopt);
  server.on("error", () => undefined); // without a bus the poll still works
  server.listen(path, () => {
    try {
      chmodSync(path, 0o600);
    } catch {
      // Closed, or removed as dead, before it was ready: the poll still works.
    }
  });
  return server.unref();
}

function greet(path: string, adopt: (socket: Socket) => void): void {
  const socket = connect(path);
  socket.once("connect", () => adopt(socket));
  socket.once("error", (error: NodeJS.ErrnoException) => {
    socket.destroy();
    if (error.code === "ECONNREFUSED") remove(path); // its owner is gone
  });
  socket.unref();
}

function socketDirectory(home: string): string {
  const inside = join(home, "bus");
  const fits = Buffer.byteLength(inside) + 40 < MAX_SOCKET_PATH;
  const digest = createHash("sha256").update(home).digest("hex").slice(0, 16);
  const directory = fits ? inside : join(tmpdir(), `quarterdeck-${digest}`);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  return directory;
}

function remove(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Another process removed it first.
  }
}
