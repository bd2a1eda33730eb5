// Counts the processes and memory of each command and stops a command that exceeds its limits: the kernel's limits do
// not bind root, and count all processes of a user.
import { setTimeout as delay } from "node:timers/promises";
import { CALL_MARK } from "../sandbox/environment.ts";
import type { LimitName } from "./frames.ts";
import { createProcessOwners, type OwnerOptions, type ProcessOwners } from "../processes/owners.ts";
import {
  isDead,
  ownMemoryKb,
  PAGE_KB,
  processCount,
  type ProcessEntry,
} from "../processes/table.ts";

export type Limits = { readonly memoryMb: number; readonly processes: number };
export const DEFAULT_LIMITS: Limits = { memoryMb: 4_096, processes: 512 };

export type Watch = {
  /** Settles once the command went over a limit; by then everything of it has been killed. */
  readonly exceeded: Promise<LimitName>;
  /** Settles when what hid its descent from the command is gone too. */
  end(): Promise<void>;
};
export type Watchdog = (group: number, marks: Readonly<Record<string, string>>) => Watch;

const TICK_MS = 100;
const CALM_MS = 1_000;
const YOUNG_MS = 10_000;
const BUSY_FACTOR = 20; // looking takes at most a twentieth of the time, unless a limit is near
const PASSES = 200;
const PAUSE_MS = 5;
const OURS = 3; // a sandbox's process 1, the host, its leash

type Watched = {
  readonly group: number;
  readonly mark: string;
  readonly since: number;
  readonly exceed: (limit: LimitName) => void;
  lone: boolean;
};
type Owners = ProcessOwners<Watched>;

export function createWatchdog(options: Limits & OwnerOptions): Watchdog {
  const watched = new Set<Watched>();
  const owners = createProcessOwners(watched, options);
  let timer: NodeJS.Timeout | undefined;
  let due = 0;

  function tick(): void {
    const began = performance.now();
    const near = lookOnce(watched, owners, options);
    plan(near ? TICK_MS : Math.max(TICK_MS, (performance.now() - began) * BUSY_FACTOR), near);
  }

  function plan(after: number, near: boolean): void {
    clearTimeout(timer);
    timer = undefined;
    if (watched.size === 0 || process.platform !== "linux") return;
    const young = [...watched].some(({ since }) => performance.now() - since < YOUNG_MS);
    const wait = near || young || options.alone ? after : Math.max(after, CALM_MS);
    due = performance.now() + wait;
    timer = setTimeout(tick, wait).unref();
  }

  return (group, marks) => {
    const { promise: exceeded, resolve: exceed } = Promise.withResolvers<LimitName>();
    const since = performance.now();
    // Others' remains, still dying, must not be counted against a command that did nothing.
    const lone = options.alone && watched.size === 0 && processCount() <= options.processes / 8;
    for (const other of watched) other.lone = false;
    const one = { group, mark: marks[CALL_MARK] ?? "", since, exceed, lone };
    watched.add(one);
    if (!timer || due > one.since + TICK_MS) plan(TICK_MS, false);
    return {
      exceeded,
      async end() {
        // Whoever was seen to descend from it, whatever it did since.
        if (!options.alone && isLeft(one, owners)) eliminate(one, owners);
        watched.delete(one);
        if (watched.size === 0) plan(0, false);
        await killStrays(owners);
      },
    };
  };
}

/** Whether some command is not far from a limit. */
function lookOnce(watched: Set<Watched>, owners: Owners, { memoryMb, processes }: Limits): boolean {
  function stop(one: Watched, limit: LimitName): void {
    eliminate(one, owners);
    watched.delete(one);
    one.exceed(limit);
  }

  const [only] = watched;
  if (only?.lone && processCount() > processes + OURS) {
    stop(only, "processes"); // without looking at each: every moment counts
  }
  const found = new Map<Watched, ProcessEntry[]>([...watched].map((one) => [one, []]));
  owners.look((one, entry) => {
    const entries = found.get(one);
    return entries && entries.push(entry) > processes ? "enough" : undefined;
  });
  let near = false;
  for (const [one, entries] of found) {
    const heldMb = (entries.reduce((sum, { rssPages }) => sum + rssPages, 0) * PAGE_KB) / 1024;
    near ||= entries.length > processes / 8 || heldMb > memoryMb / 4;
    if (entries.length > processes) stop(one, "processes");
    else if (heldMb > memoryMb && ownMb(entries) > memoryMb) stop(one, "memory");
  }
  return near;
}

function ownMb(entries: readonly ProcessEntry[]): number {
  return entries.reduce((sum, { pid }) => sum + ownMemoryKb(pid), 0) / 1024;
}

function isLeft(one: Watched, owners: Owners): boolean {
  let left = false;
  owners.look((owner, entry) => {
    left ||= owner === one && !isDead(entry);
    return left ? "enough" : undefined;
  });
  return left;
}

/** The group at once; then what left it is stopped until a look finds nothing new, and killed. */
function eliminate(one: Watched, owners: Owners): void {
  send(-one.group, "SIGKILL");
  for (const signal of ["SIGSTOP", "SIGKILL"] as const) {
    const emitted = new Set<string>();
    for (let pass = 0, news = 1; news > 0 && pass < PASSES; pass += 1) {
      news = 0;
      owners.look((owner, entry) => {
        if (owner !== one || entry.group === one.group || emitted.has(entry.key)) return undefined;
        if (isDead(entry)) return undefined;
        emitted.add(entry.key);
        news += 1;
        send(entry.pid, signal);
        return undefined;
      });
    }
  }
}

async function killStrays(owners: Owners): Promise<void> {
  for (let pass = 0; pass < PASSES; pass += 1) {
    const strays = owners.strays().filter((entry) => !isDead(entry));
    for (const { pid } of strays) send(pid, "SIGKILL");
    if (strays.length === 0) return;
    await delay(PAUSE_MS); // a killed process takes a moment to let go of its memory
  }
}

function send(pid: number, signal: "SIGSTOP" | "SIGKILL"): void {
  try {
    process.kill(pid, signal);
  } catch {
    // Gone, or never ours to signal.
  }
}
