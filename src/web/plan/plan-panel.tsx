// The agent's plan and its progress, above the transcript.
import { useState } from "react";
import type { PlanState, RunState } from "../../kernel/state/run/state.ts";
import { currentRunId } from "../session/active-run.ts";
import { useSession } from "../session/use-session.ts";
import { visibleLine } from "../../kernel/text/visible-text.ts";
import styles from "./plan-panel.module.css";

type StepStatus = PlanState["steps"][number]["status"];
type TodoStatus = RunState["todos"][number]["status"];

const MARK: Record<StepStatus | TodoStatus, string> = {
  pending: "○",
  running: "◐",
  in_progress: "◐",
  completed: "●",
  failed: "✕",
  cancelled: "–",
};
const SPOKEN: Record<StepStatus | TodoStatus, string> = {
  pending: "to do",
  running: "in progress",
  in_progress: "in progress",
  completed: "done",
  failed: "failed",
  cancelled: "dropped",
};
const PLAN_STATUS: Record<PlanState["status"], string> = {
  active: "",
  completed: "completed",
  failed: "failed",
  escalated: "needs a decision",
};

export function PlanPanel() {
  const plan = useSession((view) => view.runs[currentRunId(view) ?? ""]?.plan ?? null);
  const todos = useSession((view) => view.runs[currentRunId(view) ?? ""]?.todos ?? null);
  if (!plan && !todos?.length) return null;
  return (
    <section className={styles.panel} aria-label="Plan" data-status={plan?.status ?? "active"}>
      {plan && (
        <Strip
          name={visibleLine(plan.goal)}
          note={PLAN_STATUS[plan.status]}
          entries={plan.steps.map(({ stepId, name, status }) => ({ id: stepId, name, status }))}
        />
      )}
      {todos && todos.length > 0 && (
        <Strip
          name="To do"
          note=""
          entries={todos.map(({ id, content, status }) => ({ id, name: content, status }))}
        />
      )}
    </section>
  );
}

type Entry = { id: string; name: string; status: StepStatus | TodoStatus };

function Strip({ name, note, entries }: { name: string; note: string; entries: readonly Entry[] }) {
  const [wide] = useState(() => matchMedia("(width > 720px)").matches); // a phone shows the transcript first
  const done = entries.filter(({ status }) => status === "completed").length;
  return (
    <details className={styles.strip} open={wide}>
      <summary>
        <strong>{name}</strong>
        <span className="hint">
          {done} of {entries.length} {note}
        </span>
      </summary>
      <ol className={styles.steps}>
        {entries.map((entry) => (
          <li className="flex gap-6 muted" key={entry.id} data-status={entry.status}>
            <span aria-hidden="true">{MARK[entry.status]}</span>
            {visibleLine(entry.name)}
            <span className="visually-hidden">, {SPOKEN[entry.status]}</span>
          </li>
        ))}
      </ol>
    </details>
  );
}
