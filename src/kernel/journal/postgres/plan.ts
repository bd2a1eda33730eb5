// Decides, given the heads of their logs, which appends of a group are refused and what is stored. Pure.
import type { Draft } from "../../events/events.ts";
import { refusalOf, numberEvents, type LogRow, type AppendContext } from "../append.ts";
import type { Entry } from "../group-commit.ts";
import type { AppendResult } from "../journal.ts";
import type { Stored } from "./store-events.ts";

export type Asked = {
  readonly entry: Entry;
  readonly drafts: readonly Draft[];
  /** Heads of appends without an answer: any of them may be stored. */
  readonly sent: LogRow[];
};
export type Settled = {
  readonly asked: Asked;
  readonly result: AppendResult | { readonly error: unknown };
};

export type Plan = {
  readonly settled: readonly Settled[];
  readonly stored: readonly (Stored & { readonly asked: Asked })[];
  readonly heads: ReadonlyMap<string, LogRow>; // as they will be
};

/** The result of each append, in order, for the current heads. `there`: appends that were already stored. */
export function planned(
  asked: readonly Asked[],
  known: ReadonlyMap<string, LogRow>,
  sealing: AppendContext,
  there: ReadonlyMap<Asked, number> = new Map(),
): Plan {
  const heads = new Map(known);
  const settled: Settled[] = [];
  const stored: (Stored & { asked: Asked })[] = [];
  const sessionSeqs = new Map<number, number>();
  for (const each of asked) {
    const { claim, options } = each.entry;
    const seq = there.get(each);
    if (seq !== undefined) {
      settled.push({ asked: each, result: { ok: true, seq } });
      continue;
    }
    const head = heads.get(claim.runId);
    const reason = refusalOf(head, { claim, drafts: each.drafts }, options);
    if (!head || reason) {
      settled.push({ asked: each, result: { ok: false, reason: reason ?? "fenced" } });
      continue;
    }
    const log = { ...head, session_seq: sessionSeqs.get(head.session_key) ?? head.session_seq };
    try {
      const appended = numberEvents(log, each.drafts, sealing);
      sessionSeqs.set(log.session_key, appended.head.session_seq);
      heads.set(log.log_id, appended.head);
      stored.push({ log, appended, asked: each });
      settled.push({ asked: each, result: { ok: true, seq: appended.head.seq } });
    } catch (error) {
      settled.push({ asked: each, result: { error } }); // one writer's mistake does not fail the others
    }
  }
  return { settled, stored, heads: withSessions(heads, sessionSeqs) };
}

/** Runs of one session share its count. */
function withSessions(
  heads: ReadonlyMap<string, LogRow>,
  sessionSeqs: ReadonlyMap<number, number>,
): Map<string, LogRow> {
  return new Map(
    [...heads].map(([id, head]) => [
      id,
      { ...head, session_seq: sessionSeqs.get(head.session_key) ?? head.session_seq },
    ]),
  );
}
