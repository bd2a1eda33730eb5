// The dependencies of a server in this process, for tests that act as the runner. A test sets only what it needs.
import assert from "node:assert/strict";
import { DEFAULTS } from "../../src/kernel/journal/contract/store.contract.ts";
import type { Journal } from "../../src/kernel/journal/journal.ts";
import type { AppDeps } from "../../src/kernel/server/app.ts";
import type { StatusInfo } from "../../src/kernel/server/routes/status.ts";
import { tails } from "../../src/kernel/server/feed/tail.ts";

export const TOKEN = "t".repeat(43);

export const INFO: StatusInfo = {
  version: "0",
  model: { provider: "demo", id: "demo", label: "Demo", demo: true },
  sandbox: async () => "none",
  found: [],
  models: async () => [],
  profiles: async () => ["default"],
};

/** On any free port. */
const HERE = {
  has: (host: string) => /^(localhost|127\.0\.0\.1):\d+$/.test(host),
} as ReadonlySet<string>;

type More = Partial<Omit<AppDeps, "streams">> & { readonly heartbeatMs?: number };

export function appDeps(journal: Journal, { heartbeatMs = 60_000, ...more }: More = {}): AppDeps {
  const { logError = (error: unknown) => assert.fail(String(error)) } = more;
  return {
    journal,
    auth: { token: () => TOKEN, required: true, hosts: () => HERE },
    streams: {
      tails: tails(journal, logError),
      heartbeatMs,
      epoch: journal.epoch,
      open: new Set(),
    },
    defaults: DEFAULTS,
    profileModel: async () => null,
    info: INFO,
    webRoot: "/nowhere",
    logError,
    ...more,
  };
}
