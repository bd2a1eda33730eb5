// The gateway: holds each enabled platform by a lease, so that of any number of gateways one is connected and the
// others stand by.
import { hash } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { GatewayPlatform } from "../store/messengers.ts";
import type { Journal } from "../../../kernel/journal/journal.ts";
import { isAlive } from "../../../kernel/journal/liveness.ts";
import { SYSTEM_LOG } from "../../../kernel/events/system-events.ts";
import { PlatformProblem, type Adapter } from "./adapter.ts";
import type { Admission } from "./admit.ts";
import type { KeepFile } from "./fetch-files.ts";
import { holdPlatform } from "./platform.ts";
import { within } from "./within.ts";

export type Secrets = Readonly<Record<string, string>>;

export type GatewayOptions = Omit<Admission, "fetchFiles"> & {
  readonly holder: string; // this process, as it is registered
  /** Of a platform, wherever they come from; asked again whenever settings change. */
  readonly secrets: (platform: string) => Promise<Secrets>;
  /** Throws a PlatformProblem when something is missing. */
  readonly createAdapter: (platform: string, secrets: Secrets) => Promise<Adapter>;
  readonly keepFile: KeepFile;
  readonly leaseSeconds: number;
  readonly logError: (message: string, error: unknown) => void;
};

const LET_GO_MS = 2_000;

type Holding = {
  readonly fingerprint: string;
  readonly stop: AbortController;
  readonly done: Promise<void>;
};

export async function runGateway(options: GatewayOptions, signal: AbortSignal): Promise<void> {
  const { journal, store, holder, leaseSeconds, logError } = options;
  const held = new Map<string, Holding>();
  let moved = Promise.withResolvers<void>();
  const unwatch = journal.watch((wake) => {
    if (wake !== "all" && wake.logId === SYSTEM_LOG) moved.resolve();
  });
  try {
    while (!signal.aborted) {
      moved = Promise.withResolvers();
      await round(options, held).catch((error: unknown) => logError("one round failed", error));
      const pause = delay((leaseSeconds * 1_000) / 4, undefined, { signal }).catch(() => undefined);
      await Promise.race([pause, moved.promise]);
    }
  } finally {
    unwatch();
    await Promise.all([...held.keys()].map((platform) => releasePlatform(held, platform)));
    const gone = [...(await store.gatewayLeases())].filter(([, by]) => by === holder);
    for (const [platform] of gone) await store.dropGatewayLease(platform, holder);
  }
}

async function round(options: GatewayOptions, held: Map<string, Holding>): Promise<void> {
  const { journal, store, holder, leaseSeconds: seconds } = options;
  const platforms = await store.gatewayPlatforms();
  const lost = await deadGateways(journal);
  for (const settings of platforms) {
    const { platform, enabled } = settings;
    const ours = enabled && (await store.takeGatewayLease({ platform, holder, seconds, lost }));
    if (ours) await keep(options, held, settings);
    else if (held.has(platform)) {
      await releasePlatform(held, platform);
      if (!enabled) {
        await store.dropGatewayLease(platform, holder);
        await store.noteGateway(platform, { state: "stopped" });
      }
    }
  }
}

/** Settings and secrets that are others now begin a new connection. */
async function keep(
  options: GatewayOptions,
  held: Map<string, Holding>,
  { platform, revision }: GatewayPlatform,
): Promise<void> {
  const secrets = await options.secrets(platform);
  const fingerprint = hash("sha256", JSON.stringify([revision, secrets]));
  if (held.get(platform)?.fingerprint === fingerprint) return;
  await releasePlatform(held, platform);
  const stop = new AbortController();
  const adapter = () => options.createAdapter(platform, secrets);
  const done = holdPlatform({ ...options, platform, adapter }, stop.signal).catch(
    (error: unknown) => options.logError(`${platform} ended`, error),
  );
  held.set(platform, { fingerprint, stop, done });
}

/** Bounded: leases of all platforms are renewed by whoever waits here, and a library may never end. */
async function releasePlatform(held: Map<string, Holding>, platform: string): Promise<void> {
  const holding = held.get(platform);
  if (!holding) return;
  held.delete(platform);
  holding.stop.abort();
  await within(LET_GO_MS, holding.done);
}

/** Of this machine: elsewhere only the lease can tell. */
async function deadGateways(journal: Journal): Promise<string[]> {
  const records = await journal.registry.processes();
  return records
    .filter((record) => record.kind === "gateway" && isAlive(record) === false)
    .map(({ process_id }) => process_id);
}

export function wanted(secrets: Secrets, name: string, label: string): string {
  const value = secrets[name];
  if (value) return value;
  throw new PlatformProblem("not_configured", `“${label}” is missing.`);
}
