// File changes of the session, a run or a call up to the shown moment, and their rollback.
import { useMemo, useState } from "react";
import { isTerminal } from "../../../kernel/state/run/status.ts";
import { DiffOf } from "../../files/diff.tsx";
import { RollbackForm } from "../../files/rollback/form.tsx";
import { useDiff } from "../../files/use-diff.ts";
import { useFold, useLive, useRecorded, useSession, useSource } from "../../session/use-session.ts";
import { plural } from "../../text/format.ts";
import { Button } from "../../ui/button.tsx";
import { adjust } from "../../use-route.ts";
import { changesFold, netChanges, type ChangingCall } from "./changes-fold.ts";
import { GitPart } from "../git/git-part.tsx";
import styles from "./changes-panel.module.css";
import type { RunState } from "../../../kernel/state/run/state.ts";
import { values } from "../../../kernel/state/vector.ts";
import { visibleLine } from "../../../kernel/text/visible-text.ts";
import { truncate } from "../../../kernel/text/truncate.ts";

export function ChangesPanel() {
  const calls = useFold(changesFold, (state) => state.calls);
  const runs = useSession((view) => view.runs);
  const [chosen, setChosen] = useState("session");
  const scopes = useMemo(() => scopesOf(calls, runs), [calls, runs]);
  const all = [scopes.session, ...scopes.ofRuns, ...scopes.ofCalls];
  const scope = all.find(({ key }) => key === chosen) ?? scopes.session;
  const then = useSource().at === null ? "" : " up to this moment";
  const git = <GitPart version={calls.length} />;
  if (calls.length === 0) {
    return (
      <>
        <p className={styles.message}>No tool has changed a file in this session{then}.</p>
        {git}
      </>
    );
  }
  return (
    <>
      <div className="stack gap-l min-w-0 p-l">
        <label className={styles.choice}>
          <span>Changes of</span>
          <select
            className="input flex-1 min-w-0"
            value={scope.key}
            onChange={(event) => setChosen(event.target.value)}
          >
            <option value="session">{scopes.session.label}</option>
            <Options label="Runs" scopes={scopes.ofRuns} />
            <Options label="Checkpoints" scopes={scopes.ofCalls} />
          </select>
        </label>
        <Changes key={scope.key} scope={scope} />
      </div>
      {git}
    </>
  );
}

function Options({ label, scopes }: { label: string; scopes: readonly Scope[] }) {
  return (
    <optgroup label={label}>
      {scopes.map((scope) => (
        <option key={scope.key} value={scope.key}>
          {scope.label}
        </option>
      ))}
    </optgroup>
  );
}

function Changes({ scope }: { scope: Scope }) {
  const { at } = useSource();
  const { runId, checkpointId, calls } = scope;
  const read = useDiff({ runId, checkpointId, until: at ?? undefined }, calls.length);
  const files = useMemo(() => netChanges(calls).map(({ path }) => path), [calls]);
  const counted = (read.value?.files ?? []).filter(({ binary }) => !binary);
  const sum = (count: (file: (typeof counted)[number]) => number) =>
    counted.reduce((total, file) => total + count(file), 0);
  return (
    <>
      <p className={styles.sum}>
        {plural(files.length, "file")}
        {read.value && (
          <>
            {" "}
            <span data-kind="added">+{sum(({ added }) => added)}</span>{" "}
            <span data-kind="removed">−{sum(({ removed }) => removed)}</span>
          </>
        )}
      </p>
      <Rollback scope={scope} files={files} />
      <DiffOf read={read} />
    </>
  );
}

function Rollback({ scope: { runId, checkpointId }, files }: { scope: Scope; files: string[] }) {
  const { sessionId, at } = useSource();
  const isRecorded = useRecorded();
  // The files of a run are only known once it has ended.
  const over = useLive(({ runs, session }) => {
    if (runId === undefined) return Object.keys(session.open).length === 0;
    const run = runs[runId];
    return run !== undefined && isTerminal(run.status);
  });
  if (isRecorded) return null;
  if (at !== null) {
    return (
      <p className="hint">
        A rollback is about now.{" "}
        <Button onClick={() => adjust({ at: undefined })}>Back to now</Button>
      </p>
    );
  }
  return (
    <RollbackForm
      sessionId={sessionId}
      target={{ runId, checkpointId }}
      files={files}
      over={over}
    />
  );
}

// Scopes of the changes panel: session, run with subagents, or one call. Pure.
type Scope = {
  readonly key: string;
  readonly label: string;
  readonly runId?: string | undefined;
  readonly checkpointId?: string | undefined;
  readonly calls: readonly ChangingCall[];
};
type Runs = Readonly<Record<string, RunState>>;
const LABEL = 60;

function scopesOf(calls: readonly ChangingCall[], runs: Runs) {
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
