// Appends that arrive in one turn of the event loop, or while the last group is being stored, commit together: one
// transaction, one fsync, and adjacent deltas of one block become one event. No timer delays the first token.
import type { Draft } from "../events/events.ts";
import type { AppendOptions, AppendResult, Claim } from "./journal.ts";

/** Joined deltas stay far below the size limit of an event, even if every character needs escaping. */
const MAX_JOINED = 65_536;

/** One writer's part of a group. */
export type Entry = {
  claim: Claim;
  drafts: readonly Draft[];
  options: AppendOptions;
  resolve: (result: AppendResult) => void;
  reject: (error: unknown) => void;
};

export type GroupCommit = {
  append(claim: Claim, drafts: readonly Draft[], options?: AppendOptions): Promise<AppendResult>;
};

/** Stores a group in one database: settles every entry, and never throws. */
export type StoreGroup = {
  readonly store: (group: readonly Entry[]) => Promise<void> | void;
  /** Another write is in progress: try again after it. */
  readonly isBusy?: () => boolean;
};

export function groupCommit({ store, isBusy = () => false }: StoreGroup): GroupCommit {
  let waiting: Entry[] = [];
  let scheduled = false;
  let storing = false;

  function commit(): void {
    const group = waiting;
    waiting = [];
    const stored = store(group);
    if (!stored) return;
    storing = true;
    void stored.finally(() => {
      storing = false;
      if (waiting.length > 0) commit();
    });
  }

  function schedule(): void {
    if (scheduled || storing) return;
    scheduled = true;
    setImmediate(() => {
      scheduled = false;
      if (storing || waiting.length === 0) return;
      if (isBusy()) return schedule();
      commit();
    });
  }

  return {
    append(claim, drafts, options = {}) {
      return new Promise((resolve, reject) => {
        const last = waiting.at(-1);
        if (last && last.claim === claim && mayJoin(last, options)) {
          // The same writer again in the same turn: one entry, so its deltas can merge.
          const { resolve: first, reject: firstReject } = last;
          last.drafts = [...last.drafts, ...drafts];
          last.resolve = (result) => (first(result), resolve(result));
          last.reject = (error) => (firstReject(error), reject(error));
        } else {
          waiting.push({ claim, drafts, options, resolve, reject });
        }
        schedule();
      });
    },
  };
}

function mayJoin(last: Entry, options: AppendOptions): boolean {
  if (last.options.expectSeq !== undefined || options.expectSeq !== undefined) return false;
  return last.drafts.at(-1)?.type !== "done"; // an append after the end must be refused
}

/** Joins neighbouring deltas of the same block. Only the numbering changes, never the text. */
export function mergeDeltas(drafts: readonly Draft[]): readonly Draft[] {
  if (drafts.length < 2) return drafts;
  const merged: Draft[] = [];
  for (const draft of drafts) {
    const joined = join(merged.at(-1), draft);
    if (joined) merged[merged.length - 1] = joined;
    else merged.push(draft);
  }
  return merged;
}

function join(before: Draft | undefined, draft: Draft): Draft | undefined {
  if (before?.type === "token.delta" && draft.type === "token.delta") {
    if (before.payload.message_id !== draft.payload.message_id) return undefined;
    const delta = before.payload.delta + draft.payload.delta;
    if (delta.length > MAX_JOINED) return undefined;
    return { type: "token.delta", payload: { ...draft.payload, delta } };
  }
  if (before?.type === "reasoning.delta" && draft.type === "reasoning.delta") {
    if (before.payload.reasoning_id !== draft.payload.reasoning_id) return undefined;
    const delta = before.payload.delta + draft.payload.delta;
    if (delta.length > MAX_JOINED) return undefined;
    return { type: "reasoning.delta", payload: { ...draft.payload, delta } };
  }
  return undefined;
}
