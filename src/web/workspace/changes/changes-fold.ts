// File changes by call up to the shown moment. Line counts come from the diff.
import { eventByEvent, type Fold } from "../../../kernel/client/recording.ts";
import type { FileChange } from "../../../kernel/events/catalogue/files.ts";

export type ChangingCall = {
  readonly runId: string;
  readonly callId: string;
  readonly checkpointId: string;
  readonly label: string;
  readonly at: number;
  readonly sessionSeq: number;
  readonly changes: readonly FileChange[];
};
export type ChangesState = {
  readonly calls: readonly ChangingCall[];
  readonly labels: Readonly<Record<string, string>>; // of checkpoints whose call has not changed anything yet
};
export type NetChange = { readonly path: string; readonly what: "new" | "changed" | "deleted" };

export const changesFold: Fold<ChangesState> = {
  empty: () => ({ calls: [], labels: {} }),
  apply: eventByEvent((state, event) => {
    if (event.type === "checkpoint.created") {
      const { checkpoint_id, label } = event.payload;
      return { ...state, labels: { ...state.labels, [checkpoint_id]: label } };
    }
    if (event.type !== "files.changed" || event.payload.changes.length === 0) return state;
    const { call_id, checkpoint_id, changes } = event.payload;
    const { [checkpoint_id]: label = "", ...labels } = state.labels;
    const call: ChangingCall = {
      runId: event.run_id,
      callId: call_id,
      checkpointId: checkpoint_id,
      label,
      at: event.created_at,
      sessionSeq: event.session_seq,
      changes,
    };
    return { calls: [...state.calls, call], labels };
  }),
};

/** One entry per file in order of first change, without those that are unchanged in the end. */
export function netChanges(calls: readonly ChangingCall[]): NetChange[] {
  const files = new Map<string, Pick<FileChange, "before" | "after">>();
  for (const { changes } of calls) {
    for (const { path, before, after } of changes) {
      const known = files.get(path);
      files.set(path, { before: known ? known.before : before, after });
    }
  }
  return [...files].flatMap(([path, { before, after }]): NetChange[] => {
    if (before === null) return after === null ? [] : [{ path, what: "new" }];
    if (after === null) return [{ path, what: "deleted" }];
    const same = before.sha256 === after.sha256 && before.mode === after.mode;
    return same ? [] : [{ path, what: "changed" }];
  });
}

export function changing(calls: readonly ChangingCall[], path: string): ChangingCall[] {
  return calls.filter(({ changes }) => changes.some((change) => change.path === path));
}
