// A text-only device for tests: a real WebSocket that records every frame. Shares no code with the product's terminal
// client.
import assert from "node:assert/strict";
import { once } from "node:events";
import { WebSocket, type ClientOptions } from "ws";

export type DeviceFrame = Readonly<Record<string, unknown>> & { readonly type: string };

export type Device = Disposable & {
  readonly frames: readonly DeviceFrame[];
  readonly ws: WebSocket;
  send(frame: object | string): void;
  /** Waits for the next frame that was not read yet. */
  next(): Promise<DeviceFrame>;
  /** All frames up to a pong, which were in flight before it. */
  rest(): Promise<DeviceFrame[]>;
  readonly closed: Promise<{ code: number; reason: string }>;
};

const LIMIT_MS = 30_000;

export async function openDevice(url: string, options: ClientOptions = {}): Promise<Device> {
  const ws = new WebSocket(url, options);
  const frames: DeviceFrame[] = [];
  let taken = 0;
  let arrived = Promise.withResolvers<void>();
  const notice = () => {
    arrived.resolve();
    arrived = Promise.withResolvers();
  };
  ws.on("message", (data: Buffer) => {
    frames.push(JSON.parse(data.toString("utf8")) as DeviceFrame);
    notice();
  });
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    ws.on("close", (code, reason) => resolve({ code, reason: reason.toString() }));
  });
  ws.on("error", () => undefined).on("close", notice);
  await Promise.race([once(ws, "open"), closed]);
  assert.equal(ws.readyState, WebSocket.OPEN, `no connection to ${url}`);

  const next = async () => {
    const limit = setTimeout(notice, LIMIT_MS);
    if (taken >= frames.length && ws.readyState === WebSocket.OPEN) await arrived.promise;
    clearTimeout(limit);
    const frame = frames[taken];
    assert.ok(frame, "no frame came");
    taken += 1;
    return frame;
  };
  const send = (frame: object | string) =>
    ws.send(typeof frame === "string" ? frame : JSON.stringify(frame));
  return {
    frames,
    ws,
    send,
    next,
    async rest() {
      send({ type: "ping" });
      const found: DeviceFrame[] = [];
      for (let frame = await next(); frame.type !== "pong"; frame = await next()) found.push(frame);
      return found;
    },
    closed,
    [Symbol.dispose]: () => ws.terminate(),
  };
}
