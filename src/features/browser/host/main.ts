// The browser host: a program of its own, child of one runner, and the only one that loads playwright-core. It holds one
// tab per session. When its standard input ends, it ends, and the browser it started with it; of a live browser it was
// connected to only its own tabs are closed.
import { createLineSplitter, parseFrame } from "../../../kernel/workspace/host/frame-lines.ts";
import { settlesWithin } from "../../../kernel/workspace/processes/settles-within.ts";
import { removePlace } from "./place.ts";
import {
  BrowserError,
  MAX_BROWSER_LINE,
  type Beginning,
  type FromBrowser,
  type ToBrowser,
} from "./frames.ts";
import { openBrowser, type OpenBrowser } from "./launch.ts";
import { perform } from "./page-actions.ts";
import { Tabs } from "./tabs.ts";

const PARENT_CHECK_MS = 250;
const CLOSE_MS = 1_500;
const LATE = new BrowserError("claim_expired", "The runner's claim ran out before it began.");

type CallFrame = Extract<ToBrowser, { kind: "call" }>;
type Working = Beginning & { readonly open: OpenBrowser; readonly tabs: Tabs };

const calls = new Map<string, AbortController>();
let working: Promise<Working> | undefined;
let held: Working | undefined;
let directory: string | undefined;
let ending = false;

function send(frame: FromBrowser): void {
  if (!ending) process.stdout.write(`${JSON.stringify(frame)}\n`);
}

async function begin(wanted: Beginning): Promise<Working> {
  ({ directory } = wanted);
  const open = await openBrowser(wanted);
  open.browser.once("disconnected", () => void end(1)); // nothing is answered twice, and nothing is left
  send({ kind: "ready", version: open.browser.version() });
  return (held = { ...wanted, open, tabs: new Tabs(open) });
}

async function answer({ id, tab: name, not_after, request }: CallFrame): Promise<void> {
  const stop = new AbortController();
  calls.set(id, stop);
  const { signal } = stop;
  try {
    const { tabs, allow_private_hosts: allowPrivateHosts } = await (working as Promise<Working>);
    const mayBegin = () => {
      if (process.hrtime.bigint() > BigInt(not_after)) throw LATE;
    };
    const given = await tabs.use(name, { signal, creates: request.action === "open" }, (tab) =>
      perform(request, { tab, signal, allowPrivateHosts, mayBegin }),
    );
    send({ kind: "done", id, ok: true, answer: given });
  } catch (error) {
    // Without a browser nobody knows how far it came: the end of the pipe tells the runner so.
    if (ending || held?.open.browser.isConnected() === false) return void end(1);
    send({ kind: "done", id, ok: false, error: problemOf(error, signal) });
  } finally {
    calls.delete(id);
  }
}

function problemOf(error: unknown, signal: AbortSignal) {
  if (signal.aborted) return { code: "aborted" as const, message: "It was stopped." };
  if (error instanceof BrowserError) return { code: error.code, message: error.message };
  const [line = ""] = (error instanceof Error ? error.message : String(error)).split("\n");
  return { code: "browser_error" as const, message: line.slice(0, 1_000) };
}

async function end(code: number): Promise<void> {
  if (ending) return;
  ending = true;
  if (held) {
    if (held.mode === "connect") await settlesWithin(held.tabs[Symbol.asyncDispose](), CLOSE_MS);
    await settlesWithin(held.open.browser.close(), CLOSE_MS);
  }
  if (directory !== undefined) await removePlace(directory);
  process.exit(code);
}

function take(frame: ToBrowser): void {
  if (frame.kind === "begin") {
    working = begin(frame);
    working.catch((error: Error) => {
      send({
        kind: "failed",
        message: error.message.split("\n").slice(0, 3).join(" ").slice(0, 500),
      });
      process.stdout.write("", () => void end(1));
    });
  } else if (frame.kind === "abort") calls.get(frame.id)?.abort();
  else void answer(frame);
}

function crash(error: unknown): void {
  if (ending) return;
  process.stderr.write(`browser host: ${error instanceof Error ? error.stack : String(error)}\n`);
  void end(1);
}

const split = createLineSplitter(MAX_BROWSER_LINE);
process.stdin.on("data", (chunk: Buffer) => {
  for (const { text, overlong } of split(chunk)) {
    const frame = overlong ? undefined : parseFrame<ToBrowser>(text);
    if (frame) take(frame);
  }
});
process.on("uncaughtException", crash);
process.on("unhandledRejection", crash);
process.on("SIGTERM", () => void end(0));
process.on("SIGINT", () => undefined); // when to stop is the runner's decision
process.on("SIGHUP", () => undefined);
for (const over of ["end", "close", "error"]) process.stdin.on(over, () => void end(0));
process.stderr.on("error", () => undefined);
process.stdout.on("error", () => void end(0)); // EPIPE: the runner is gone
const parent = process.ppid;
setInterval(() => {
  if (process.ppid !== parent) void end(0);
}, PARENT_CHECK_MS);
