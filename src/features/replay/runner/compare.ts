// Two tellings of the same run, without what is never the same: ids, times, hashes, who ran it, how the words were
// cut into pieces, and in which order calls that ran side by side came along. What the tool host makes (checkpoints,
// changed files, output as it is printed) is not told again, so it is not compared.
import { EVENT_TYPES, type RunEvent } from "../../../kernel/events/events.ts";
import { own } from "../../../kernel/events/own.ts";
import { isBeside } from "./recorded-model.ts";

export type Emitted = {
  readonly type: string;
  readonly payload: Readonly<Record<string, unknown>>;
};

const KNOWN: ReadonlySet<string> = new Set(EVENT_TYPES); // of others nobody here knows how they come to be
const LEFT_OUT: ReadonlySet<string> = new Set([
  "checkpoint.created",
  "files.changed",
  "tool.updated",
  "process.started",
  "process.output",
  "process.exited",
  "progress",
  "title.updated", // asked for beside the run
]);
/** Fields that are never the same, whatever they are in. */
const VOLATILE: ReadonlySet<string> = new Set([
  "duration_ms",
  "runner_id",
  "cost_usd",
  "last_seq",
  "expires_at",
]);
/** That a call was asked about counts; which rules were offered with it is up to each release. */
const NOT_COMPARED = {
  reason: null,
  always: null,
  wider: null,
  choices: null,
  plan: null, // its intent is compared, and which files it executes depends on the machine
  plan_hash: null,
};
/** A subagent's first message has an id that nobody chose. */
const NAMED: ReadonlySet<string> = new Set(["message.user", "run.queued"]);
const PIECES: Readonly<Record<string, string>> = {
  "token.delta": "message_id",
  "reasoning.delta": "reasoning_id",
};

export type Normalising = {
  /** Ids of now as they were then. */
  readonly rename?: (text: string) => string;
  /** False: side questions (titles) were asked, which are in the sums and are not asked again. */
  readonly sums: boolean;
};

export function normalised(
  events: readonly RunEvent[],
  { rename = (text) => text, sums }: Normalising,
): Emitted[] {
  const emitted: Emitted[] = [];
  for (const event of events) {
    if (LEFT_OUT.has(event.type) || !KNOWN.has(event.type) || isBeside(event)) continue;
    const payload = JSON.parse(rename(JSON.stringify(event.payload, steady))) as Emitted["payload"];
    if (!sums && event.type === "usage.final") continue;
    if (!sums && event.type === "done") Object.assign(payload, { usage: null });
    if (event.type === "approval.requested") Object.assign(payload, NOT_COMPARED);
    if (event.type === "turn.started") Object.assign(payload, { policy: null });
    if (NAMED.has(event.type)) Object.assign(payload, { message_id: null });
    const last = emitted.at(-1);
    if (last && joins(last, event.type, payload)) {
      const delta = `${String(last.payload["delta"])}${String(payload["delta"])}`;
      emitted[emitted.length - 1] = { ...last, payload: { ...last.payload, delta } };
    } else emitted.push({ type: event.type, payload });
  }
  return inCallOrder(emitted);
}

function steady(key: string, value: unknown): unknown {
  return VOLATILE.has(key) ? null : value;
}

function joins(last: Emitted, type: string, payload: Emitted["payload"]): boolean {
  const name = own(PIECES, type);
  return name !== undefined && last.type === type && last.payload[name] === payload[name];
}

/** Sorted last: what belongs to no call. */
function callOf({ payload }: Emitted): string {
  const id = payload["call_id"];
  return typeof id === "string" ? id : "~";
}

/** Calls of one step go on side by side: each by itself, one after the other, then what else was told. */
function inCallOrder(emitted: readonly Emitted[]): Emitted[] {
  const ordered: Emitted[] = [];
  let step: Emitted[] = [];
  const flush = () => {
    const keyed = Map.groupBy(step, callOf);
    for (const key of [...keyed.keys()].toSorted()) ordered.push(...(keyed.get(key) ?? []));
    step = [];
  };
  for (const each of emitted) {
    const ends = each.type === "message.completed" || each.type === "turn.completed";
    if (ends) flush();
    if (ends || each.type === "turn.started") ordered.push(each);
    else step.push(each);
  }
  flush();
  return ordered;
}

export type Difference = {
  readonly at: number; // from 1
  readonly before: Emitted | undefined;
  readonly now: Emitted | undefined;
};

export function firstDifference(
  then: readonly Emitted[],
  now: readonly Emitted[],
): Difference | undefined {
  const length = Math.max(then.length, now.length);
  for (let at = 0; at < length; at += 1) {
    if (canonical(then[at]) !== canonical(now[at])) {
      return { at: at + 1, before: then[at], now: now[at] };
    }
  }
  return undefined;
}

/** With keys in one order: what is said counts, not how it was put together. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}

const SHOWN = 600;

export function describe(runId: string, { at, before, now }: Difference): string {
  const emitted = (each: Emitted | undefined) =>
    each ? `${each.type} ${canonical(each.payload)}`.slice(0, SHOWN) : "(nothing)";
  return `Run ${runId} differs at its event ${at}:\n- ${emitted(before)}\n+ ${emitted(now)}`;
}
