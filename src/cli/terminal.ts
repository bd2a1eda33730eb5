// `terminal`: this computer as a text-only device of the terminal channel, here or anywhere. Standard
// output has the replies. The exit code tells the outcome: 0 answered, 1 a turn failed, 3 no server, 4 the
// last reply asks something (lines of a pipe answer it only with --answers), 130 stopped.
import type { IncomingMessage } from "node:http";
import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { WebSocket } from "ws";
import { type Config, isLoopback, type Parsed, UsageError } from "../config.ts";
import { tryLock } from "../kernel/home/lock.ts";
import { changeFile } from "../kernel/home/replace-file.ts";
import { segment } from "../kernel/dialect/channel-session.ts";
import { terminalText } from "../kernel/text/terminal-text.ts";
import type { Device } from "../windows/terminal/client/machine.ts";
import { openMemory, type MemoryFile } from "../windows/terminal/client/memory-file.ts";
import { runTerminal, type Hearing, type Line } from "../windows/terminal/client/run-terminal.ts";
import { openScreen } from "../windows/terminal/client/screen.ts";
import { openJournal } from "./open-journal.ts";
import { readStatus } from "./status.ts";
import { trustOwnServer } from "./tls-files.ts";
import { tokenStore } from "./token-store.ts";

export const flags = {
  url: { type: "string" },
  peer: { type: "string" },
  device: { type: "string" },
  "token-file": { type: "string" },
  wait: { type: "string" },
  answers: { type: "boolean" },
  verbose: { type: "boolean" },
} as const;

const AWAY_S = 30; // how long a pipe waits for a server
const CHANNEL = "terminal-dev";
const MAX_PEER = 128;

export async function command({ config, values, positionals }: Parsed): Promise<number> {
  if (positionals.length > 0) {
    throw new UsageError('A terminal reads lines: echo "hello" | quarterdeck terminal');
  }
  const text = (name: string) => values[name] as string | undefined;
  const peerId = text("peer") ?? config.terminal.peerId ?? (await keptPeer(config));
  const idPrefix = segment(peerId);
  if (peerId === "" || idPrefix.length > MAX_PEER) {
    throw new UsageError(`The peer's name must have 1 to ${MAX_PEER} characters.`);
  }
  trustOwnServer(config);
  const target = targetOf(config, { url: text("url"), tokenFile: text("token-file") });
  const awayMs = awayFor(text("wait"));
  const deviceName = text("device") ?? config.terminal.deviceName ?? hostname();
  using _lock = lockPeer(config, idPrefix);
  const screen = openScreen({
    input: process.stdin,
    output: process.stdout,
    errors: process.stderr,
  });
  const log = (line: string) =>
    void (values["verbose"] === true && process.stderr.write(`[${terminalText(line)}]\n`));
  return await runTerminal({
    device: { peerId, idPrefix, deviceName, awayMs, ahead: aheadFor(values["answers"] === true) },
    memory: memoryOf(config, idPrefix, target.name),
    screen,
    log,
    dial: (on) => dial(target, on),
  });
}

/** The same for as long as the home is: the computer's name may change, a container's does each time. */
async function keptPeer({ home }: Config): Promise<string> {
  const file = { folder: { root: home, path: home }, name: "terminal-peer", limit: 4_096 };
  return changeFile(file, (text = "") => {
    const kept = text.trim();
    const peer = kept || hostname();
    return { text: kept === "" ? `${peer}\n` : undefined, result: peer };
  });
}

/** A person waits as long as they like; a pipe must come to an end. */
function awayFor(given: string | undefined): number | null {
  if (given === undefined) return process.stdin.isTTY ? null : AWAY_S * 1_000;
  const seconds = Number(given);
  if (!(seconds >= 0.1 && seconds <= 86_400)) {
    throw new UsageError("--wait takes seconds, from 0.1 to 86400.");
  }
  return seconds * 1_000;
}

/** In a pipe nobody sees a question before the next line: whoever wrote the lines has to say what they are. */
function aheadFor(answers: boolean): Device["ahead"] {
  if (process.stdin.isTTY) return "back";
  return answers ? "answer" : "stop";
}

type Place = { readonly url: string; readonly token: string | undefined };
type Target = {
  /** What turns in flight belong to. */
  readonly name: string;
  /** Asked anew for every connection: a server may come back elsewhere. */
  readonly place: () => Promise<Place | undefined>;
};

function targetOf(
  config: Config,
  given: { url?: string | undefined; tokenFile?: string | undefined },
): Target {
  const url = given.url ?? config.terminal.url;
  const read = (path: string) => {
    try {
      return readFileSync(path, "utf8").trim();
    } catch (error) {
      throw new UsageError(`${path} cannot be read: ${(error as Error).message}`);
    }
  };
  const own = given.tokenFile === undefined ? undefined : read(given.tokenFile);
  if (url === undefined) {
    return {
      name: "local",
      place: async () => {
        const { url: served, token } = await ours(config);
        if (served === undefined) return undefined;
        return { url: channelUrl(config, served), token: own ?? token };
      },
    };
  }
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (!parsed || (parsed.protocol !== "ws:" && parsed.protocol !== "wss:")) {
    throw new UsageError(`“${url}” is not the address of a WebSocket: ws://host:port/path`);
  }
  return {
    name: withoutPassword(parsed),
    // Our token is for our own server and nobody else, also on this computer.
    place: async () => ({
      url: parsed.href,
      token: own ?? (await tokenFor(config, parsed)),
    }),
  };
}

/** It is stored with what is in flight. */
function withoutPassword(url: URL): string {
  const bare = new URL(url);
  [bare.username, bare.password] = ["", ""];
  return bare.href;
}

/** Our own server, and what it asks of us. */
async function ours(config: Config): Promise<{ url: string | undefined; token: string }> {
  await using journal = await openJournal(config);
  const { url } = await readStatus(journal);
  return { url: url ?? undefined, token: await tokenStore(config, journal).read() };
}

async function tokenFor(config: Config, url: URL): Promise<string | undefined> {
  if (!isLoopback(url.hostname)) return undefined;
  const { url: served, token } = await ours(config);
  return served !== undefined && new URL(served).port === url.port ? token : undefined;
}

function channelUrl({ channels }: Config, served: string): string {
  const id = channels.find((channel) => channel.id === CHANNEL)?.id ?? channels[0]?.id ?? CHANNEL;
  return `${served.replace(/^http/, "ws")}/api/channels/${id}/ws`;
}

function memoryOf(config: Config, peer: string, target: string): MemoryFile {
  const path = join(config.home, `terminal-${peer}.json`);
  try {
    return openMemory(path, target);
  } catch (error) {
    throw new UsageError(`${path} cannot be used: ${(error as Error).message}.`, 3);
  }
}

/** Two terminals with one name would give one id to two texts. */
function lockPeer({ home }: Config, peer: string): Disposable {
  const held = tryLock({ folder: home, what: `terminal ${peer}` });
  if (held) return held;
  throw new UsageError(
    `Another terminal is open as this peer (${peer}). Choose another with --peer.`,
    3,
  );
}

/** Statuses of a handshake that another try will not change. */
const REFUSED = new Set([400, 401, 403, 426]); // not 404: that is what a proxy says while a server is replaced

function dial({ place }: Target, on: Hearing): Line {
  let ws: WebSocket | undefined;
  let closed = false;
  const fail = (reason: string, refused = false) => {
    if (closed) return;
    closed = true;
    on.closed(reason, refused);
  };
  const connect = async () => {
    const where = await place();
    if (closed) return;
    if (!where) return fail('Nothing is serving this home: start it with "quarterdeck up"');
    const headers = where.token === undefined ? {} : { authorization: `Bearer ${where.token}` };
    ws = new WebSocket(where.url, { headers, perMessageDeflate: false });
    ws.on("open", () => on.opened());
    ws.on("message", (data: Buffer) => on.text(data.toString("utf8")));
    ws.on("unexpected-response", (_request, response) => {
      const status = response.statusCode ?? 0;
      void sentenceIn(response).then((sentence) => {
        fail(`The server refuses: ${sentence || `status ${status}`}`, REFUSED.has(status));
        ws?.terminate();
      });
    });
    ws.on("error", (error: NodeJS.ErrnoException) =>
      fail(`No connection (${error.code ?? error.message})`),
    );
    ws.on("close", () => fail("The connection was closed"));
  };
  connect().catch((error: unknown) => fail((error as Error).message));
  return {
    send: (text) => void (ws?.readyState === WebSocket.OPEN && ws.send(text)),
    close() {
      closed = true;
      ws?.close();
      setTimeout(() => ws?.terminate(), CLOSE_MS).unref();
    },
  };
}
const CLOSE_MS = 500;

/** Why a handshake was refused, as far as the server says so. */
async function sentenceIn(response: IncomingMessage): Promise<string> {
  try {
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk as Buffer);
    const body = JSON.parse(Buffer.concat(chunks).toString("utf8")) as {
      error?: { message?: unknown };
    };
    return typeof body.error?.message === "string" ? body.error.message.slice(0, 300) : "";
  } catch {
    return "";
  }
}
