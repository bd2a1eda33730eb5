// A server of the terminal channel on a real journal and real sockets, without processes: tests act as the runner.
import assert from "node:assert/strict";
import type { AddressInfo } from "node:net";
import * as s from "../../../src/kernel/journal/contract/store.contract.ts";
import type { Claim, Journal } from "../../../src/kernel/journal/journal.ts";
import { createApp } from "../../../src/cli/create-app.ts";
import type { AppDeps } from "../../../src/kernel/server/app.ts";
import { SEED } from "../../e2e/terminal/seed.ts";
import { appDeps, TOKEN } from "../app-deps.ts";
import * as d from "../drafts.ts";
import { sqliteStore } from "../journal/sqlite-store.ts";
import { openDevice, type Device } from "./terminal-device.ts";

export { TOKEN };
export const BEARER = { headers: { authorization: `Bearer ${TOKEN}` } };
export const SESSION = SEED.connected.session_id;

export async function serving(journal: Journal, more: Partial<AppDeps> = {}) {
  const errors: unknown[] = [];
  const logError = (error: unknown) => void errors.push(error);
  const channels = [{ id: "terminal-dev" }, { id: "bridge", model: "demo/other", profile: "mate" }];
  const app = await createApp(appDeps(journal, { channels, logError, ...more }));
  await app.listen({ port: 0, host: "127.0.0.1" });
  const { port } = app.server.address() as AddressInfo;
  const url = `ws://127.0.0.1:${port}/api/channels`;
  return {
    app,
    errors,
    url: `${url}/terminal-dev/ws`,
    at: (channel: string) => `${url}/${channel}/ws`,
    [Symbol.asyncDispose]: () => app.close(),
  };
}

/** A store and a server on it, which end with the test. */
export async function place(more: Partial<AppDeps> = {}) {
  const store = sqliteStore();
  const journal = await store.connect();
  const server = await serving(journal, more);
  return {
    store,
    journal,
    server,
    device: (options: object = BEARER) => openDevice(server.url, options),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
      assert.deepEqual(server.errors, []);
    },
  };
}

export async function connected(device: Device, more: object = {}): Promise<string> {
  device.send({ ...SEED.connect, ...more });
  const frame = await device.next();
  assert.equal(frame.type, "connected", JSON.stringify(frame));
  return frame["session_id"] as string;
}

export const say = (device: Device, message_id: string, text: string, more: object = {}) =>
  device.send({ type: "message", message_id, text, ...more });

/** Sends a message and reads its ack. */
export async function said(device: Device, message_id: string, text: string) {
  say(device, message_id, text);
  const ack = await device.next();
  assert.deepEqual([ack.type, ack["accepted"]], ["ack", true], JSON.stringify(ack));
  return ack;
}

export const ended = async (journal: Journal, claim: Claim, text: string) => {
  const seq = (await journal.reads.run(claim.runId))?.seq ?? 0;
  await s.write(journal, claim, d.done(seq + 1, "completed", text));
};
