// `quarterdeck terminal` as a person or a script uses it: the real program on both sides, or a foreign
// server that does what it likes.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { WebSocketServer, type WebSocket } from "ws";
import { journalsMade } from "../../support/backend.ts";
import { call, type Server } from "../../support/http.ts";
import { openPair } from "../../support/pair.ts";
import { MAIN, newTestHome, type TestHome } from "../../support/program.ts";
import { until } from "../../support/until.ts";
import { SEED } from "./seed.ts";

type Options = { args?: string[]; env?: Record<string, string> };

function startTerminal(place: TestHome, { args = [], env = {} }: Options = {}) {
  const flags = ["--home", place.home, "--workspace", place.workspace, ...args];
  const child = spawn(process.execPath, [MAIN, "terminal", ...flags], {
    env: { PATH: process.env["PATH"] ?? "", TERMINAL_PEER_ID: "p", ...env },
  });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  const ended = once(child, "close").then(() => child.exitCode);
  return {
    child,
    ended,
    out: () => stdout,
    err: () => stderr,
    type: (line: string) => void child.stdin.write(`${line}\n`),
    end: () => void child.stdin.end(),
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

/** Everything at once, as `echo … | quarterdeck terminal` does it. */
async function piped(place: TestHome, lines: string, options: Options = {}) {
  await journalsMade();
  await using terminal = startTerminal(place, options);
  terminal.child.stdin.end(lines);
  return { code: await terminal.ended, out: terminal.out(), err: terminal.err() };
}

const memoryOf = ({ home }: TestHome, peer = "p") =>
  JSON.parse(readFileSync(join(home, `terminal-${peer}.json`), "utf8")) as {
    counter: number;
    in_flight: { message_id: string; text: string } | null;
  };

async function runsOf(program: Server): Promise<number> {
  const path = "/api/sessions/terminal-dev:local:p";
  const { body } = await call<{ runs?: unknown[] }>(program, "GET", path);
  return body.ok ? (body.data.runs?.length ?? 0) : 0;
}

test("[W6] in a pipe: replies to standard output, the outcome as the exit code", async () => {
  using place = newTestHome();
  await using program = await openPair(place);
  assert.deepEqual(await piped(place, "say Hello.\n"), { code: 0, out: "Hello.\n", err: "" });
  const two = await piped(place, "say One.\n\nsay Two.", { args: ["--verbose"] });
  assert.deepEqual([two.code, two.out], [0, "One.\nTwo.\n"]);
  assert.match(two.err, /session_id terminal-dev:local:p[^]*message_id p-000003 run_id run_/);
  const failed = await piped(place, "fail no ink\nsay But still.\n");
  assert.equal(failed.code, 1);
  assert.equal(failed.out, "But still.\n", "what went wrong is no reply");
  assert.match(failed.err, /no ink/);
  assert.equal((await piped(place, "")).code, 0);
  assert.deepEqual(memoryOf(place), { counter: 5, in_flight: null });
  assert.equal(await runsOf(program), 5);
});

test("[W5] in a pipe: no line answers what is asked, unless they were written as answers", async () => {
  using place = newTestHome();
  await using program = await openPair(place);
  const pending = async () =>
    (await call<{ pending: unknown[] }>(program, "GET", "/api/pending")).body.data.pending.length;
  const asked = await piped(place, "exec echo hi > hi.txt\nyes\nsay More.\n");
  assert.deepEqual([asked.code, await pending()], [4, 1]);
  assert.match(asked.out, /Reply yes[^\n]*\n$/, "the request, and nothing after it");
  assert.match(asked.err, /^An answer is needed\. 2 lines were not sent\. With --answers, /);
  const unseen = await piped(place, "yes\n");
  assert.deepEqual(
    [unseen.code, await pending()],
    [4, 1],
    "it was asked before this line was sent",
  );
  assert.match(unseen.err, /An answer is needed\. 1 line was not sent\./);
  const answered = await piped(place, "no\n", { args: ["--answers"] });
  assert.deepEqual([answered.code, await pending()], [0, 0]);
  assert.match(answered.err, /Reply yes/, "what waits is said beside the replies");
  assert.equal(existsSync(join(place.workspace, "hi.txt")), false);
  const args = ["--answers"];
  const both = await piped(place, "exec echo hi > hi.txt\nyes\nsay More.\n", { args });
  assert.deepEqual([both.code, both.out.endsWith("More.\n")], [0, true], both.err);
  assert.ok(existsSync(join(place.workspace, "hi.txt")));
  assert.equal(await runsOf(program), 3);
});

test("[W6] no server: a pipe waits a while, then says so, and keeps nothing from coming later", async () => {
  using place = newTestHome();
  const away = await piped(place, "say Hello.\n", { args: ["--wait", "0.5"] });
  assert.deepEqual([away.code, away.out], [3, ""]);
  assert.match(
    away.err,
    /^Nothing is serving this home[^]*The server is away\. 1 line was not sent\.\n$/,
  );
  await using terminal = startTerminal(place);
  terminal.child.stdin.end("say Patience.\n");
  await until(() => terminal.err().includes("Trying again"));
  await using _program = await openPair(place);
  assert.equal(await terminal.ended, 0);
  assert.equal(terminal.out(), "Patience.\n");
  assert.match(terminal.err(), /Connected again\./);
});

test("[W8, V5] the server is killed in the middle: the same message, one run, one reply", async () => {
  using place = newTestHome({ demo_delay_ms: 10 });
  await using program = await openPair(place, { apart: ["serve"] });
  await using terminal = startTerminal(place);
  terminal.type("say First.");
  await until(() => terminal.out() !== ""); // it is connected, and a turn is over
  terminal.type("count 300");
  terminal.type("say And more.");
  terminal.end();
  await until(async () => (await runsOf(program)) === 2);
  await program.kill("serve");
  assert.equal(await terminal.ended, 0, terminal.err());
  const [, ...lines] = terminal.out().trimEnd().split("\n");
  assert.match(lines[0] ?? "", /^1 2 3 .* 300 ?$/);
  assert.deepEqual(lines.slice(1), ["And more."]);
  assert.equal(await runsOf(program), 3);
});

test("[W8] the terminal is killed in the middle: it asks again with the same id, and says which reply is old", async () => {
  using place = newTestHome({ demo_delay_ms: 10 });
  await using program = await openPair(place);
  {
    await using terminal = startTerminal(place);
    terminal.type("count 200");
    await until(async () => (await runsOf(program)) === 1);
  }
  assert.equal(memoryOf(place).in_flight?.message_id, "p-000001");
  const { code, out, err } = await piped(place, "say New.\n");
  assert.deepEqual([code, out], [0, "New.\n"]);
  assert.match(err, /^1 2 3 .* 200 ?\n$/);
  assert.deepEqual(memoryOf(place), { counter: 2, in_flight: null });
  assert.equal(await runsOf(program), 2);
});

test("[W8] one name, one terminal: a second is refused, until the first is gone, however it went", async () => {
  using place = newTestHome();
  await using _program = await openPair(place);
  {
    await using first = startTerminal(place);
    first.type("say Here.");
    await until(() => first.out() === "Here.\n");
    const second = await piped(place, "say Me too.\n");
    assert.deepEqual([second.code, second.out], [3, ""]);
    assert.match(second.err, /^Another terminal is open as this peer \(\w+\)/);
    const other = await piped(place, "say Me too.\n", { args: ["--peer", "q"] });
    assert.deepEqual([other.code, other.out], [0, "Me too.\n"]);
  }
  assert.equal((await piped(place, "say Again.\n")).out, "Again.\n");
});

test("[W6] bad flags are one sentence", async () => {
  using place = newTestHome();
  for (const [args, sentence] of [
    [["hello"], /^A terminal reads lines/],
    [["--url", "http://127.0.0.1:1/"], /is not the address of a WebSocket/],
    [["--wait", "soon"], /^--wait takes seconds/],
    [["--peer", ""], /^The peer's name must have/],
    [["--token-file", "/nowhere"], /^\/nowhere cannot be read/],
  ] as const) {
    const { code, err } = await piped(place, "", { args: [...args] });
    assert.equal(code, 2, args.join(" "));
    assert.match(err, sentence);
  }
});

type Foreign = AsyncDisposable & {
  url: string;
  requests: IncomingMessage[];
  received: Record<string, unknown>[];
  sockets: WebSocket[];
};

/** A server that is not ours: `answer` says what it does with each frame. */
async function foreign(
  answer: (frame: Record<string, unknown>, send: (frame: object) => void, at: Foreign) => void,
): Promise<Foreign> {
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  await once(server, "listening");
  const at: Foreign = {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/api/channels/terminal-dev/ws`,
    requests: [],
    received: [],
    sockets: [],
    async [Symbol.asyncDispose]() {
      for (const socket of at.sockets) socket.terminate();
      server.close();
      await once(server, "close");
    },
  };
  server.on("connection", (socket, request) => {
    at.requests.push(request);
    at.sockets.push(socket);
    socket.on("message", (data: Buffer) => {
      const frame = JSON.parse(data.toString()) as Record<string, unknown>;
      at.received.push(frame);
      answer(frame, (reply) => socket.send(JSON.stringify(reply)), at);
    });
  });
  return at;
}

test("[W6] a foreign server is served as the document says, and never gets our token", async () => {
  using place = newTestHome();
  await using _program = await openPair(place); // a token is there to be leaked
  await using server = await foreign((frame, send) => {
    if (frame["type"] === "connect") send({ ...SEED.connected, extra: 1 });
    if (frame["type"] !== "message") return;
    send({ type: "weather", sunny: true });
    send({ ...SEED.accepted, message_id: frame["message_id"] });
    send({ ...SEED.reply, message_id: frame["message_id"], text: `re ${String(frame["text"])}` });
  });
  const env = {
    BEAVER_WS_URL: server.url,
    TERMINAL_PEER_ID: "device-001",
    TERMINAL_DEVICE_NAME: "desk-terminal",
  };
  await using terminal = startTerminal(place, { env });
  terminal.child.stdin.end("one\ntwo\n");
  assert.equal(await terminal.ended, 0);
  assert.equal(terminal.out(), "re one\nre two\n");
  assert.deepEqual(server.received, [
    SEED.connect,
    { type: "message", message_id: "device-001-000001", text: "one", answers: null },
    { type: "message", message_id: "device-001-000002", text: "two", answers: null },
  ]);
  assert.equal(server.requests[0]?.headers.authorization, undefined);
});

test("[W6, W8] a foreign server that drops, repeats, refuses ids and complains loses no line", async () => {
  using place = newTestHome();
  const seen = new Map<string, number>();
  await using server = await foreign((frame, send, at) => {
    if (frame["type"] === "connect") return send(SEED.connected);
    const id = frame["message_id"] as string;
    const times = (seen.get(id) ?? 0) + 1;
    seen.set(id, times);
    const about = { message_id: id };
    if (id === "p-000001") return send({ ...SEED.completed, ...about, error: "used before" });
    if (id === "p-000002" && times === 1) return at.sockets.at(-1)?.terminate();
    if (id === "p-000002") return send({ ...SEED.completed, ...about, reply: "cached" });
    if (id === "p-000003") return send({ ...SEED.error, ...about });
    send({ ...SEED.pending, ...about });
    send({ ...SEED.reply, ...about, text: "last" });
    send({ ...SEED.reply, ...about, text: "last" });
  });
  const { code, out, err } = await piped(place, "a\nb\nc\n", { args: ["--url", server.url] });
  assert.deepEqual([code, out], [1, "cached\nlast\n"], err);
  assert.ok(err.includes("human readable error\n"), "an error is no reply");
  assert.deepEqual(
    server.received
      .filter(({ type }) => type === "message")
      .map(({ message_id, text }) => [message_id, text]),
    [
      ["p-000001", "a"],
      ["p-000002", "a"],
      ["p-000002", "a"],
      ["p-000003", "b"],
      ["p-000004", "c"],
    ],
  );
});

test("[A2] a wrong token is said, and not tried for ever", async () => {
  using place = newTestHome();
  await using program = await openPair(place);
  const wrong = join(place.home, "config.json"); // any file that is not the token
  const { code, err } = await piped(place, "say no\n", { args: ["--token-file", wrong] });
  assert.deepEqual([code, err], [3, "The server refuses: The token is wrong.\n"]);
  const url = `${program.url.replace("http", "ws")}/api/channels/terminal-dev/ws`;
  const ours = await piped(place, "say Ours.\n", { env: { BEAVER_WS_URL: url } });
  assert.deepEqual([ours.code, ours.out], [0, "Ours.\n"], "our own server by its address");
  const elsewhere = ["--url", url.replace("-dev", "-no"), "--wait", "1.5"];
  const nobody = await piped(place, "say no\n", { args: elsewhere });
  assert.equal(nobody.code, 3);
  const sentence =
    /^The server refuses: There is no WebSocket here. Trying again in 1 s.\nThe server is away/;
  assert.match(nobody.err, sentence, "a proxy says so while a server is replaced");
});
