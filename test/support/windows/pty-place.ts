// A server with real terminals in a separate workspace, and windows on them.
import { once } from "node:events";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { WebSocket } from "ws";
import * as s from "../../../src/kernel/journal/contract/store.contract.ts";
import type { TerminalFrame, TerminalView } from "../../../src/features/terminals/records.ts";
import { terminalHosts } from "../../../src/features/terminals/host/start-host.ts";
import { createApp } from "../../../src/cli/create-app.ts";
import type { TerminalHosts } from "../../../src/features/terminals/server/hosts.ts";
import type { TerminalNote } from "../../../src/features/terminals/server/terminals.ts";
import { appDeps, TOKEN } from "../app-deps.ts";
import "../plain-shell.ts";
import { sqliteStore } from "../journal/sqlite-store.ts";
import { until } from "../until.ts";

export { TOKEN };
export const BEARER = { authorization: `Bearer ${TOKEN}` };

export async function terminalPlace(hosts?: TerminalHosts) {
  const store = sqliteStore();
  const workspace = await realpath(await mkdtemp(join(tmpdir(), "quarterdeck-terminals-")));
  const journal = await store.connect();
  await journal.commands.createSession({ session_id: "s1", workspace }, s.DEFAULTS);
  await journal.commands.createSession({ session_id: "far", workspace: "big:/p" }, s.DEFAULTS);
  await journal.commands.createSession({ session_id: "home", workspace: store.home }, s.DEFAULTS);
  const notes: (TerminalNote & { what: string })[] = [];
  const errors: unknown[] = [];
  const logError = (error: unknown) => void errors.push(error);
  const deps = appDeps(journal, {
    heartbeatMs: 10_000,
    webRoot: store.home,
    logError,
    terminals: hosts ?? terminalHosts({ home: store.home, sandbox: "auto" }),
    noteTerminal: async (what, about) => void notes.push({ what, ...about }),
  });
  const app = await createApp(deps);
  await app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const base = `127.0.0.1:${port}`;
  const call = async (path: string, body?: unknown, headers: Record<string, string> = BEARER) => {
    const reply = await fetch(`http://${base}${path}`, {
      ...(body !== undefined && { method: "POST", body: JSON.stringify(body) }),
      headers: { ...headers, ...(body !== undefined && { "content-type": "application/json" }) },
    });
    return { status: reply.status, ...((await reply.json()) as { data: never; error: never }) };
  };
  return {
    app,
    base,
    journal,
    workspace,
    notes,
    errors,
    call,
    open: async (session = "s1") =>
      (await call(`/api/sessions/${session}/terminals`, { cols: 80, rows: 24 }))
        .data as TerminalView,
    socketUrl: (id: string, query = "offset=0&window=w") =>
      `ws://${base}/api/terminals/${id}/ws?${query}`,
    [Symbol.asyncDispose]: async () => {
      await app.close();
      await store[Symbol.asyncDispose]();
      await rm(workspace, { recursive: true, force: true });
    },
  };
}

/** A window that acknowledges everything at once, unless configured otherwise. */
export async function terminalWindow(url: string, { acks = true, headers = BEARER } = {}) {
  const ws = new WebSocket(url, { headers });
  const frames: TerminalFrame[] = [];
  const heard = { text: "", bytes: 0, code: 0 };
  const say = (frame: object | string) =>
    ws.send(typeof frame === "string" ? frame : JSON.stringify(frame));
  ws.on("error", () => undefined);
  ws.on("close", (code) => (heard.code = code));
  ws.on("message", (data: Buffer) => {
    const frame = JSON.parse(data.toString()) as TerminalFrame;
    frames.push(frame);
    if (frame.type !== "output") return;
    heard.bytes += frame.bytes;
    heard.text += Buffer.from(frame.data, "base64").toString("latin1");
    if (acks) say({ type: "ack", offset: frame.offset + frame.bytes });
  });
  await once(ws, "open");
  const find = <Type extends TerminalFrame["type"]>(type: Type) =>
    frames.findLast((frame) => frame.type === type) as
      | Extract<TerminalFrame, { type: Type }>
      | undefined;
  return {
    ws,
    frames,
    heard,
    say,
    find,
    until: (words: string) => until(() => heard.text.includes(words), words),
    emitted: <Type extends TerminalFrame["type"]>(type: Type) => until(() => find(type), type),
    closed: () => until(() => heard.code, "close"),
  };
}
