// Rolls back file changes: a preview first, then the button.
import { useState } from "react";
import { plural } from "../../text/format.ts";
import { Button } from "../../ui/button.tsx";
import { Problem } from "../../ui/problem.tsx";
import { RollbackText } from "./text.tsx";
import {
  countOf,
  isPossible,
  unblocked,
  useRollback,
  type RollbackTarget,
  type Step,
} from "../use-rollback.ts";

type RollbackFormProps = {
  sessionId: string;
  target: RollbackTarget;
  /** For a partial rollback. */
  files: readonly string[];
  /** Whether all runs have ended. The rollback itself is a run and must not count. */
  over: boolean;
};

export function RollbackForm({ sessionId, target, files, over }: RollbackFormProps) {
  const [undone, setUndone] = useState<RollbackTarget | null>(null);
  const of = undone ?? target;
  return (
    <Form
      key={JSON.stringify(of)}
      {...{ sessionId, files, over }}
      target={of}
      isUndo={undone !== null}
      onUndo={(runId) => setUndone({ runId })}
    />
  );
}

type FormProps = RollbackFormProps & { isUndo: boolean; onUndo: (runId: string) => void };

function Form({ sessionId, target, files, over, isUndo, onUndo }: FormProps) {
  const { command, preview, rollback, rollbackId, look, carryOut } = useRollback(sessionId, target);
  const busy = command.busy || preview.state === "waiting" || rollback.state === "waiting";
  const shown = rollback.state === "none" ? preview : rollback;
  const rest = unblocked(files, shown);
  const begun = isUndo || busy || shown.state !== "none"; // what was begun stays, whatever it has changed
  if (!begun && files.length === 0) return null;
  if (!begun && !over) {
    return <p className="hint">A run is still going on; more may change.</p>;
  }
  return (
    <section
      className="stack gap-l p-l rounded border"
      aria-label="Roll back"
      data-status={statusOf(shown, busy)}
    >
      {preview.state === "none" && <p className="hint">{isUndo ? UNDO_HINT : HINT}</p>}
      <div role="status">
        <StepText step={shown} tense={rollback.state === "none" ? "would" : "did"} />
      </div>
      <Problem text={command.problem} />
      <div className="flex flex-wrap gap-m">
        {rollback.state === "none" && isPossible(preview) && (
          <Button tone="danger" icon="back" disabled={busy} onClick={carryOut}>
            Roll back {plural(countOf(preview), "file")}
          </Button>
        )}
        {rest.length > 0 && (
          <Button disabled={busy} onClick={() => look(rest)}>
            Only the other {plural(rest.length, "file")}…
          </Button>
        )}
        {rollback.state !== "answered" && (
          <Button
            disabled={busy}
            icon={preview.state === "none" ? "back" : "again"}
            onClick={() => look()}
          >
            {preview.state === "none" ? "Roll back…" : "Check again"}
          </Button>
        )}
        {rollbackId !== null && rollback.state === "answered" && rollback.refused === null && (
          <Button icon="again" onClick={() => onUndo(rollbackId)}>
            Undo this rollback…
          </Button>
        )}
      </div>
    </section>
  );
}

const HINT =
  "Restores files to how they were before. Only the agent’s edits are reverted, and only in files nobody changed since. You can undo this.";
const UNDO_HINT = "Puts the files back as they were before the rollback.";

function StepText({ step, tense }: { step: Step; tense: "would" | "did" }) {
  switch (step.state) {
    case "none":
      return null;
    case "waiting":
      return <p>{WAITING[step.status] ?? "Looking at the files…"}</p>;
    case "failed":
      return <Problem text={`That did not work: ${step.message}`} />;
    case "answered":
      return (
        <>
          {tense === "did" && step.refused === null && <p>Rolled back.</p>}
          <RollbackText result={step.result} tense={tense} />
        </>
      );
    default:
      return step satisfies never;
  }
}

const WAITING: Readonly<Record<string, string>> = {
  queued: "Waits for its turn: it starts when the run before it is over.",
  awaiting_clarify: "It needs an answer in the transcript.",
};

function statusOf(step: Step, busy: boolean): string {
  return busy ? "waiting" : step.state;
}
