// A feed that misbehaves on request: every watch of a session plays its next script. Tests see what a tab
// sees when a socket drops, repeats, refuses, or tells something else than the journal has.
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { WebSocketServer, type WebSocket as Peer } from "ws";
import type { FeedFrame, FeedRequest } from "../../../src/kernel/api/records/feed.ts";
import type { RunEvent } from "../../../src/kernel/events/events.ts";
import { foldHash, HASH_VERSION } from "../../../src/kernel/state/fold-hash.ts";
import { emptyFolded, foldEvents } from "../../../src/kernel/state/folded.ts";
import { REDUCER_VERSION } from "../../../src/kernel/events/version.ts";
import { feedSocket } from "../../../src/kernel/client/feed-socket.ts";

type Watch = Extract<FeedRequest, { type: "watch" }>;
export type WatchScript = (tab: Tab, watch: Watch) => void;
export type Tab = {
  lines(lines: readonly (FeedFrame | RunEvent)[]): void;
  watching(watch: Watch): void;
  heartbeat(epoch: string): void;
  refuse(watch: Watch, problem: { code: string; status: number; details?: object }): void;
  drop(): void;
};

/** `scripts`: of each session; the last one is played again. `answers`: whether pings are. */
export async function startFeedServer(
  scripts: Readonly<Record<string, readonly WatchScript[]>>,
  options: { epoch?: string; answers?: () => boolean } = {},
) {
  const { epoch = "e1", answers = () => true } = options;
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  await once(server, "listening");
  const requests: FeedRequest[] = [];
  const played = new Map<string, number>();
  const tabs: Tab[] = [];
  server.on("connection", (peer) => {
    const tab = tabOf(peer);
    tabs.push(tab);
    tab.heartbeat(epoch);
    peer.on("message", (data: Buffer) => {
      const request = JSON.parse(data.toString()) as FeedRequest;
      requests.push(request);
      if (request.type === "ping" && answers()) tab.heartbeat(epoch);
      if (request.type !== "watch") return;
      const of = scripts[request.session_id] ?? [];
      const count = played.get(request.session_id) ?? 0;
      played.set(request.session_id, count + 1);
      of[Math.min(count, of.length - 1)]?.(tab, request);
    });
  });
  const { port } = server.address() as AddressInfo;
  const connect = () => new WebSocket(`ws://127.0.0.1:${port}/`);
  return {
    requests,
    tabs,
    open: feedSocket({ connect, probe: async () => undefined }),
    watches: (sessionId: string) =>
      requests.filter((request): request is Watch => {
        return request.type === "watch" && request.session_id === sessionId;
      }),
    async [Symbol.asyncDispose]() {
      for (const peer of server.clients) peer.terminate();
      server.close();
      await once(server, "close");
    },
  };
}

function tabOf(peer: Peer): Tab {
  const lines: Tab["lines"] = (all) =>
    peer.send(all.map((line) => JSON.stringify(line)).join("\n"));
  return {
    lines,
    watching: ({ session_id, mark }) => lines([{ feed: "watching", session_id, mark, head: 0 }]),
    heartbeat: (epoch) => lines([{ feed: "heartbeat", epoch, at: 0 }]),
    refuse: ({ session_id, mark }, { code, status, details = {} }) =>
      lines([
        { feed: "refused", session_id, mark, code, status, message: code, details: { ...details } },
      ]),
    drop: () => peer.terminate(),
  };
}

export function stateOf(events: readonly RunEvent[]): Extract<FeedFrame, { feed: "state" }> {
  const { session_id = "", session_seq = 0 } = events.at(-1) ?? {};
  const hash = foldHash(foldEvents(emptyFolded(session_id), events));
  const versions = { reducer: REDUCER_VERSION, hash_version: HASH_VERSION };
  return { feed: "state", session_id, session_seq, hash, ...versions };
}

/** Tells all of it as it is, then what its state is. */
export function honest(events: readonly RunEvent[]): WatchScript {
  return (tab, watch) => {
    const { session_id, after } = watch;
    tab.watching(watch);
    tab.lines([
      ...events.slice(after),
      { feed: "caught_up", session_id, session_seq: events.length },
      stateOf(events),
    ]);
  };
}
