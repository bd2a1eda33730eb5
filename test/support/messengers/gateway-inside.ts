// A gateway in this process: real SQLite, the platforms' real libraries, local fakes. Messages of people become runs in
// the journal, which no runner executes.
import { createAdapter } from "../../../src/features/messengers/gateway/create-adapter.ts";
import {
  runGateway,
  type GatewayOptions,
} from "../../../src/features/messengers/gateway/gateway.ts";
import { DEFAULTS } from "../../../src/kernel/journal/contract/store.contract.ts";
import type { Journal } from "../../../src/kernel/journal/journal.ts";
import { storeUpload } from "../../../src/kernel/server/workspace/store-upload.ts";
import { sqliteStore } from "../journal/sqlite-store.ts";
import { until } from "../until.ts";
import type { PlatformChange } from "../../../src/features/messengers/store/messengers.ts";
import { messengerStore } from "../../../src/features/messengers/store/store.ts";

type Urls = Partial<Record<"telegram" | "slack" | "discord", string>>;
type Secrets = Readonly<Record<string, string>>;
export type Logged = { readonly message: string; readonly error: unknown };

export async function gatewayInside(
  urls: Urls,
  secrets: Readonly<Record<string, Secrets>>,
  more: Partial<Pick<GatewayOptions, "createAdapter">> = {},
) {
  const store = sqliteStore();
  const journal = await store.connect();
  const logged: Logged[] = [];
  const adapters = { urls, editMs: 20, post: noPost, now: () => Date.now() / 1_000 };
  let gateways = 0;
  let stop = new AbortController();
  let running: Promise<void> = Promise.resolve();
  function start(seen: Journal = journal): void {
    stop = new AbortController();
    gateways += 1;
    const options: GatewayOptions = {
      journal: seen,
      store: messengerStore(seen),
      holder: `g${gateways}`,
      defaults: async () => DEFAULTS,
      secrets: async (platform) => secrets[platform] ?? {},
      createAdapter: (platform, known) => createAdapter(adapters, platform, known),
      keepFile: (chunks) => storeUpload(journal.blobs, chunks),
      leaseSeconds: 2,
      logError: (message, error) => void logged.push({ message, error }),
      ...more,
    };
    running = runGateway(options, stop.signal);
  }
  start();
  const isConnected = async (platform: string) =>
    (await messengerStore(journal).gatewayPlatform(platform))?.state === "connected";
  return {
    journal,
    logged,
    start,
    async stop() {
      stop.abort();
      await running;
    },
    set: (platform: string, change: PlatformChange) =>
      messengerStore(journal).setGatewayPlatform(platform, change, { by: "person", secrets: [] }),
    /** Resolves when it is connected. */
    async switchOn(platform: string, change: PlatformChange = {}) {
      const settings = { enabled: true, mode: "open", ...change } as const;
      await messengerStore(journal).setGatewayPlatform(platform, settings, {
        by: "person",
        secrets: [],
      });
      await until(() => isConnected(platform), `${platform} is connected`);
    },
    /** The accepted messages of a conversation, in order. */
    async prompts(sessionId: string) {
      return (await journal.reads.runsOf(sessionId)).map(({ prompt }) => prompt);
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running;
      await store[Symbol.asyncDispose]();
    },
  };
}

async function noPost(): Promise<never> {
  throw new Error("no webhook here");
}
