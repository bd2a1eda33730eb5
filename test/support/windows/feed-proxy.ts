// A proxy between a tab and a real server's feed that can change what the tab receives. It adds the token, so that the
// tab needs none.
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { WebSocket, WebSocketServer } from "ws";
import type { RunEvent } from "../../../src/kernel/events/events.ts";
import type { Server } from "../http.ts";

/** What to send instead of an event. */
export type Tampering = (event: RunEvent) => RunEvent;

export async function startFeedProxy(server: Server) {
  const tampering = { with: (event: RunEvent) => event };
  const proxy = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  await once(proxy, "listening");
  proxy.on("connection", (tab, { url = "/" }) => {
    const upstream = new WebSocket(`${server.url.replace("http", "ws")}${url}`, {
      headers: { authorization: `Bearer ${server.token}` },
    });
    const early: string[] = [];
    tab.on("message", (data: Buffer) => {
      if (upstream.readyState === upstream.OPEN) upstream.send(data.toString());
      else early.push(data.toString());
    });
    upstream.on("open", () => early.forEach((text) => upstream.send(text)));
    upstream.on("message", (data: Buffer) => {
      const lines = data.toString().split("\n");
      tab.send(lines.map((line) => tampered(line, tampering.with)).join("\n"));
    });
    upstream.on("error", () => tab.terminate()).on("close", () => tab.terminate());
    tab.on("error", () => upstream.terminate()).on("close", () => upstream.terminate());
  });
  const { port } = proxy.address() as AddressInfo;
  return {
    url: `ws://127.0.0.1:${port}/api/feed`,
    tampering,
    async [Symbol.asyncDispose]() {
      for (const tab of proxy.clients) tab.terminate();
      proxy.close();
      await once(proxy, "close");
    },
  };
}

function tampered(line: string, tampering: Tampering): string {
  const emitted = JSON.parse(line) as RunEvent | { feed: string };
  return "feed" in emitted ? line : JSON.stringify(tampering(emitted));
}
