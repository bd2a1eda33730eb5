// What arrives in one turn of the event loop commits together, in one transaction and one fsync;
// adjacent deltas of one block become one event. No timer stands in the way of the first token.
import { ApiError } from "../protocol/errors.ts";
import type { Draft } from "../protocol/events.ts";
import { appendClaimed } from "./append.ts";
import type { Database } from "./database.ts";
import type { AppendOptions, AppendResult, Claim, Wake } from "./journal.ts";

/** Joined deltas stay far below the size of an event, also when every character needs escaping. */
const MAX_JOINED = 65_536;

type Waiting = {
  claim: Claim;
  drafts: readonly Draft[];
  options: AppendOptions;
  resolve: (result: AppendResult) => void;
  reject: (error: unknown) => void;
};

export type GroupCommit = {
  append(claim: Claim, drafts: readonly Draft[], options?: AppendOptions): Promise<AppendResult>;
};

export function groupCommit(db: Database, published: (wakes: Wake[]) => void): GroupCommit {
  let waiting: Waiting[] = [];
  let scheduled = false;

  function commit(group: readonly Waiting[]): void {
    const settled: (() => void)[] = [];
    const wakes: Wake[] = [];
    try {
      db.writeNow(() => {
        for (const entry of group) {
          const { result, wake } = appendClaimed(
            db,
            entry.claim,
            mergeDeltas(entry.drafts),
            entry.options,
          );
          if (wake) wakes.push(wake);
          settled.push(() => entry.resolve(result));
        }
      });
    } catch (error) {
      // Rolled back as one. What one writer did wrong is its own affair: the others go alone.
      const retry = group.length > 1 && error instanceof ApiError;
      for (const entry of group) {
        if (retry) commit([entry]);
        else entry.reject(error);
      }
      return;
    }
    // Persist before publish: only now may anyone hear of it.
    for (const settle of settled) settle();
    published(wakes);
  }

  function schedule(): void {
    if (scheduled) return;
    scheduled = true;
    setImmediate(() => {
      scheduled = false;
      if (db.writing) return schedule(); // a command's transaction is open: come back after it
      const group = waiting;
      waiting = [];
      commit(group);
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

function mayJoin(last: Waiting, options: AppendOptions): boolean {
  if (last.options.expectSeq !== undefined || options.expectSeq !== undefined) return false;
  return last.drafts.at(-1)?.type !== "done"; // what follows the end must be told so
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
