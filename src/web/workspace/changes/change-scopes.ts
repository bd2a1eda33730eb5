// Scopes of the changes panel: session, run with subagents, or one call. Pure.
import type { RunState } from "../../../kernel/state/run/run-state.ts";
import { values } from "../../../kernel/state/vector.ts";
import { visibleLine } from "../../../kernel/text/visible-text.ts";
import type { ChangingCall } from "./changes-fold.ts";
import { truncate } from "../../../kernel/text/truncate.ts";

export type Scope = {
  readonly key: string;
  readonly label: string;
  readonly runId?: string | undefined;
  readonly checkpointId?: string | undefined;
  readonly calls: readonly ChangingCall[];
};
type Runs = Readonly<Record<string, RunState>>;
const LABEL = 60;

export function scopesOf(calls: readonly ChangingCall[], runs: Runs) {
  const session: Scope = { key: "session", label: "The whole session", calls };
  const byRun = new Map<string, ChangingCall[]>();
  for (const call of calls) {
    const root = runs[call.runId]?.rootRunId ?? call.runId;
    byRun.set(root, [...(byRun.get(root) ?? []), call]);
  }
  const ofRuns = [...byRun].map(([runId, own], index): Scope => {
    const label = `${index + 1}. ${short(promptOf(runs[runId]) || "Run")}`;
    return { key: `run ${runId}`, label, runId, calls: own };
  });
  const ofCalls = calls.map((call): Scope => {
    const { runId, checkpointId } = call;
    const label = short(call.label || call.callId);
    const key = `call ${checkpointId} ${call.callId}`;
    return { key, label, runId: runs[runId]?.rootRunId ?? runId, checkpointId, calls: [call] };
  });
  return { session, ofRuns: ofRuns.toReversed(), ofCalls: ofCalls.toReversed() };
}

function promptOf(run: RunState | undefined): string {
  if (!run) return "";
  for (const item of values(run.items)) {
    if (item.kind === "user") return item.text;
    if (item.kind === "tool") return item.label;
  }
  return "";
}

function short(text: string): string {
  return truncate(visibleLine(text), LABEL);
}
