// The product's own device as a process that is driven step by step: a server of our own hears and answers it, lines
// are typed into it, and everything it says is kept.
import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { WebSocketServer, type WebSocket } from "ws";
import { SEED } from "../../e2e/terminal/seed.ts";
import { cleanEnvironment, MAIN } from "../../support/program.ts";
import { until } from "../../support/until.ts";

export type Fields = Readonly<Record<string, unknown>>;
/** What the device did in a situation. */
export type Seen = {
  readonly sent: readonly Fields[];
  readonly out: string;
  readonly err: string;
  readonly log: string; // what --verbose adds
  readonly connections: number; // so far
};

export async function driveDevice(home: string) {
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const sent: Fields[] = [];
  let [out, err, connections, marks] = ["", "", 0, 0];
  let taken = { sent: 0, out: 0, err: 0 };
  let socket: WebSocket | undefined;
  let child: ChildProcessWithoutNullStreams | undefined;
  server.on("connection", (ws) => {
    connections += 1;
    socket = ws;
    ws.on("message", (data: Buffer) => sent.push(JSON.parse(data.toString()) as Fields));
  });
  const emit = (...frames: readonly (object | string)[]) => {
    for (const each of frames) socket?.send(typeof each === "string" ? each : JSON.stringify(each));
  };
  /** The device has read everything it was told: it logs what it does not understand. */
  const heard = async () => {
    marks += 1;
    emit({ type: `mark ${marks}` });
    await until(() => err.includes(`[not understood: mark ${marks}]`), "the device");
  };
  const stop = async (signal?: "SIGKILL") => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, "close");
    if (signal) child.kill(signal);
    else child.stdin.end();
    await gone;
  };
  return {
    /** Settles when it has introduced itself. */
    async start() {
      const env = {
        TERMINAL_PEER_ID: SEED.connect.peer_id,
        TERMINAL_DEVICE_NAME: SEED.connect.device_name,
        BEAVER_WS_URL: `ws://127.0.0.1:${port}/api/channels/terminal-dev/ws`,
      };
      const args = [MAIN, "terminal", "--home", home, "--verbose"];
      child = spawn(process.execPath, args, { env: cleanEnvironment(env) });
      child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()));
      child.stderr.on("data", (chunk: Buffer) => (err += chunk.toString()));
      await this.comes();
    },
    /** Settles when it has introduced itself on a connection after those so far. */
    async comes() {
      const before = sent.length;
      await until(() => sent.slice(before).some(({ type }) => type === "connect"), "a connection");
    },
    type: (...lines: readonly string[]) => void child?.stdin.write(`${lines.join("\n")}\n`),
    /** Settles when it has sent so many messages since the last look. */
    async message(many = 1) {
      const isMessage = ({ type }: Fields) => type === "message";
      const found = () => sent.slice(taken.sent).filter(isMessage);
      await until(() => found().length >= many, "a message");
      return String(found()[many - 1]?.["message_id"]);
    },
    emit,
    /** Loses the connection without a word. */
    drop: async () => {
      const words = /Trying again in \d+ s\./;
      const before = err.length;
      socket?.terminate();
      await until(() => words.test(err.slice(before)), "the device to notice");
    },
    /** What it did since the last look; `connected`: a device that is not cannot be asked whether it has heard all. */
    async look({ connected = true } = {}): Promise<Seen> {
      if (connected) await heard();
      const lines = err.slice(taken.err).split(/(?<=\n)/);
      const isLog = (line: string) => line.startsWith("[");
      const seen = {
        sent: sent.slice(taken.sent),
        out: out.slice(taken.out),
        err: lines.filter((line) => !isLog(line)).join(""),
        log: lines.filter(isLog).join(""),
        connections,
      };
      taken = { sent: sent.length, out: out.length, err: err.length };
      return seen;
    },
    stop,
    exitCode: () => child?.exitCode,
    async [Symbol.asyncDispose]() {
      await stop("SIGKILL");
      for (const ws of server.clients) ws.terminate();
      server.close();
    },
  };
}
