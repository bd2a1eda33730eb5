// The product's own device as a program, against a server that is written from the document.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { WebSocketServer } from "ws";
import { SEED } from "../../e2e/terminal/seed.ts";
import { cleanEnvironment, MAIN, type TestHome } from "../../support/program.ts";

type Fields = Readonly<Record<string, unknown>>;
export type Terminal = { readonly code: number | null; readonly out: string; readonly err: string };

/** What it sent, and what it printed. */
export type OwnDevice = {
  readonly sent: readonly Fields[];
  readonly paths: readonly string[];
  readonly first: Terminal;
  readonly second: Terminal;
  readonly afterLoss: Terminal;
  readonly late: Terminal; // of a server that is being replaced: its first answer is 404
  readonly locked: Terminal; // of a server that answers 401
  readonly stranger: Terminal; // of a server that says so after the handshake
  readonly secure: Terminal; // at an address of wss://
  readonly noSocket: Terminal; // at an address of http://
  readonly unnamed: readonly string[]; // peer ids of a device that was given none, twice
};

/** A server as the document has it: it answers every message with its text in capitals. */
async function startServer() {
  let refusals = 0;
  const server = new WebSocketServer({
    port: 0,
    host: "127.0.0.1",
    verifyClient: ({ req }, answer) => {
      const isLate = req.url?.endsWith("?late") === true && (refusals += 1) === 1;
      if (isLate) answer(false, 404);
      else if (req.url?.endsWith("?locked")) answer(false, 401);
      else answer(true);
    },
  });
  await once(server, "listening");
  const sent: Fields[] = [];
  const paths: string[] = [];
  server.on("connection", (ws, request) => {
    paths.push(request.url ?? "");
    const isStranger = request.url?.endsWith("?stranger");
    const send = (frame: object) => ws.send(JSON.stringify(frame));
    ws.on("message", (data: Buffer) => {
      const frame = JSON.parse(data.toString()) as Fields;
      sent.push(frame);
      const { message_id, text } = frame;
      if (isStranger) return send({ ...SEED.error, code: "unauthorized" });
      if (frame["type"] === "connect") return send(SEED.connected);
      if (frame["type"] !== "message") return send(SEED.pong);
      send({ ...SEED.accepted, message_id });
      const [finish_reason, said] =
        text === "bad" ? ["error", "no ink"] : ["stop", String(text).toUpperCase()];
      send({ ...SEED.reply, message_id, text: said, finish_reason });
    });
  });
  const { port } = server.address() as AddressInfo;
  const url = `ws://127.0.0.1:${port}/api/channels/terminal-dev/ws`;
  const close = () => {
    for (const ws of server.clients) ws.terminate();
    server.close();
  };
  return { url, sent, paths, [Symbol.dispose]: close };
}

export async function ownDevice(place: TestHome): Promise<OwnDevice> {
  using server = await startServer();
  const env = { TERMINAL_PEER_ID: "device-001", TERMINAL_DEVICE_NAME: "desk-terminal" };
  const named = { ...env, BEAVER_WS_URL: server.url };
  const first = await terminal(place, "hello\nworld\n", { env: named, args: ["--verbose"] });
  const second = await terminal(place, "bad\nhello\n", { env: env, args: ["--url", server.url] });
  const late = await terminal(place, "hello\n", { env, args: ["--url", `${server.url}?late`] });
  const locked = await terminal(place, "hello\n", { env, args: ["--url", `${server.url}?locked`] });
  const away = { env, args: ["--url", `${server.url}?stranger`] };
  const stranger = await terminal(place, "hello\n", away);
  const secure = await terminal(place, "hello\n", {
    env,
    args: ["--url", server.url.replace("ws:", "wss:"), "--wait", "0.1"],
  });
  const noSocket = await terminal(place, "", { env, args: ["--url", "http://127.0.0.1/"] });
  rmSync(join(place.home, "terminal-device-001.json"));
  const afterLoss = await terminal(place, "hello\n", { env: named });
  const connects = () => server.sent.filter(({ type }) => type === "connect");
  const before = connects().length;
  for (const _ of [1, 2]) await terminal(place, "hello\n", { env: { BEAVER_WS_URL: server.url } });
  const unnamed = connects()
    .slice(before)
    .map(({ peer_id }) => String(peer_id));
  unnamed.push(readFileSync(join(place.home, "terminal-peer"), "utf8").trim());
  const printed = { first, second, late, locked, stranger, secure, noSocket, afterLoss };
  return { sent: server.sent, paths: server.paths, ...printed, unnamed };
}

type Options = { readonly env: Record<string, string>; readonly args?: readonly string[] };

async function terminal(
  { home }: TestHome,
  lines: string,
  { env, args = [] }: Options,
): Promise<Terminal> {
  const child = spawn(process.execPath, [MAIN, "terminal", "--home", home, ...args], {
    env: cleanEnvironment(env),
  });
  let [out, err] = ["", ""];
  child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (err += chunk.toString()));
  child.stdin.end(lines);
  await once(child, "close");
  return { code: child.exitCode, out, err };
}
