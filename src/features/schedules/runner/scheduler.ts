// Keeps schedules: sleeps until the next time is due, then asks the journal to decide. It remembers nothing: whoever
// starts later, or runs beside it, finds in the journal what is decided and what is not.
import { uptime } from "node:os";
import type { DueJob } from "../store/schedules.ts";
import type { Defaults, Journal } from "../../../kernel/journal/journal.ts";
import { SYSTEM_LOG, type PayloadOfSystem } from "../../../kernel/events/system-events.ts";
import { scheduleStore } from "../store/store.ts";

export type SchedulerOptions = {
  readonly journal: Journal;
  /** What a run begins with where its schedule says nothing, by its profile. */
  readonly defaults: (profile: string | null) => Promise<Defaults>;
  /** What was decided, for whoever reads along. */
  readonly decided?: (tick: PayloadOfSystem<"cron.ticked">) => void;
  readonly logError: (message: string, error: unknown) => void;
};

/** A clock that was set, or a hint that got lost, is noticed so late. */
const LOOK_MS = 15_000;
const PAUSE_MS = 20; // hints come in crowds
const AFTER_FAILURE_MS = 1_000;
const HANDED_MS = 1_000;

/** Until the signal aborts. A journal that is away is waited for. */
export async function keepSchedules(options: SchedulerOptions, signal: AbortSignal): Promise<void> {
  using hints = hintsOf(options.journal);
  const clock = databaseClock();
  const emitAhead = aheadTeller(options);
  while (!signal.aborted) {
    let wait = AFTER_FAILURE_MS;
    try {
      const next = await decideAll({ ...options, emitAhead }, clock, signal);
      const isHanded = await settle(options.journal);
      wait = Math.min(waitFor(next, clock.now()), isHanded ? HANDED_MS : LOOK_MS);
    } catch (error) {
      if (!signal.aborted) options.logError("schedules could not be kept", error);
    }
    await hints.next(wait, signal);
  }
}

/** What is due and yet undecided could not be: it is not asked for without a pause. */
function waitFor(next: number | null, now: number): number {
  if (next === null) return LOOK_MS;
  return next <= now ? AFTER_FAILURE_MS : Math.min(LOOK_MS, (next - now) * 1_000);
}

/** Everything that is due; when the next one is. */
async function decideAll(
  options: SchedulerOptions & { readonly emitAhead: (job: DueJob, now: number) => void },
  clock: DatabaseClock,
  signal: AbortSignal,
): Promise<number | null> {
  for (;;) {
    const soon = await scheduleStore(options.journal).dueNext();
    for (const job of soon) options.emitAhead(job, clock.now());
    const due = soon.filter(({ next_at }) => next_at <= clock.now());
    let decided = false;
    const waiting = new Set<DueJob>(); // for a run to end, which is a hint
    for (const job of due) {
      if (signal.aborted) return null;
      const became = await decideOne(options, clock, job);
      if (became === "decided") decided = true;
      if (became === "waits") waiting.add(job);
    }
    const next = soon.find((job) => !waiting.has(job));
    if (!decided) return next?.next_at ?? null; // also when the database's clock says: not yet
  }
}

async function decideOne(
  { journal, defaults, logError, ...options }: SchedulerOptions,
  clock: DatabaseClock,
  { job_id, profile }: DueJob,
): Promise<"decided" | "waits" | "undecided"> {
  try {
    const decided = await scheduleStore(journal).decideTick(
      job_id,
      await defaults(profile),
      clock.believes,
    );
    if (!decided.decided && decided.doubted) return "undecided"; // the next look may be at the right time
    clock.heard(decided.now);
    if (!decided.decided) return decided.waits === true ? "waits" : "undecided";
    options.decided?.(decided.tick);
    return "decided";
  } catch (error) {
    logError(`schedule ${job_id} could not be decided`, error);
    return "undecided"; // the others go on; this one is looked at again
  }
}

/** True while a messenger has something of ours: no hint says when it is done. */
async function settle(journal: Journal): Promise<boolean> {
  for (;;) {
    const { settled, handed } = await scheduleStore(journal).settleDeliveries();
    if (settled === 0) return handed > 0;
  }
}

type DatabaseClock = ReturnType<typeof databaseClock>;

/**
 * Only a guess of when to ask, put right by what the database says whenever it decides: the later of our clock, which
 * may be set, and of the time that passed since then.
 */
function databaseClock() {
  const clocks = [() => Date.now() / 1_000, uptime];
  const wall = Date.now() / 1_000;
  let ahead = clocks.map((clock) => wall - clock());
  return {
    now: () => Math.max(...clocks.map((clock, at) => clock() + (ahead[at] ?? 0))),
    heard: (now: number) => void (ahead = clocks.map((clock) => now - clock())),
    believes: believedTime(),
  };
}

const AHEAD_S = 60;

/** A clock that was ahead for long has left schedules that wait for it: that is told, once for each. */
function aheadTeller({ logError }: SchedulerOptions) {
  const emitted = new Set<string>();
  return ({ job_id, next_at, decided_to }: DueJob, now: number): void => {
    if (decided_to === null || decided_to <= now + AHEAD_S || emitted.has(job_id)) return;
    emitted.add(job_id);
    const [to, next] = [decided_to, next_at].map((at) => new Date(at * 1_000).toISOString());
    const why = `its times up to ${to} were decided while the clock was ahead`;
    logError(`schedule ${job_id} waits until ${next}: ${why}. Make it anew to begin now.`, null);
  };
}

/** The house's log moved (a schedule may have), or a run ended (its answer may be delivered). */
function hintsOf(journal: Journal) {
  let heard = false;
  let wake: () => void = () => {};
  const unwatch = journal.watch((hint) => {
    if (hint !== "all" && hint.logId !== SYSTEM_LOG && !hint.work) return;
    heard = true;
    wake();
  });
  return {
    async next(ms: number, signal: AbortSignal): Promise<void> {
      if (signal.aborted) return;
      await new Promise<void>((done) => {
        const timer = setTimeout(done, heard ? PAUSE_MS : ms);
        wake = () => {
          clearTimeout(timer);
          setTimeout(done, PAUSE_MS);
        };
        signal.addEventListener("abort", wake, { once: true });
      });
      signal.removeEventListener("abort", wake);
      heard = false;
    },
    [Symbol.dispose]: unwatch,
  };
}

// Whether the time is what it must be after the time that has passed. A clock that was set by mistake is soon set
// back: what a schedule decided meanwhile would stay decided, and a schedule of every minute would stand still for a
// day. So a jump is believed only when it has stood for a while. A machine that slept has not jumped: its uptime went on.
const TOLERANCE_S = 30; // clocks are corrected all the time, a little
const HOLD_S = 300;

/** To be told the time now and then. `seconds`: on a clock that nobody sets and that goes on while the machine sleeps. */
export function believedTime(seconds: () => number = uptime): (now: number) => boolean {
  let believed: number | undefined; // what the wall clock is ahead of the uptime
  let doubted: { readonly ahead: number; readonly since: number } | undefined;
  return (now) => {
    const at = seconds();
    const ahead = now - at;
    if (believed === undefined || isClose(ahead, believed)) {
      [believed, doubted] = [ahead, undefined];
      return true;
    }
    if (!doubted || !isClose(ahead, doubted.ahead)) doubted = { ahead, since: at };
    if (at - doubted.since < HOLD_S) return false;
    [believed, doubted] = [ahead, undefined];
    return true;
  };
}

function isClose(one: number, other: number): boolean {
  return Math.abs(one - other) <= TOLERANCE_S;
}
