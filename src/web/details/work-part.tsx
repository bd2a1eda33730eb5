// Plan, to-dos and subagents of the run.
import type { PlanState, RunState } from "../../kernel/state/run/state.ts";
import { visibleLine } from "../../kernel/text/visible-text.ts";
import { RUN_STATUS } from "../session/runs/status-label.ts";
import { select } from "../session/selection.ts";
import { useRun } from "../session/use-session.ts";
import { plural } from "../text/format.ts";
import { Badge } from "../ui/badge.tsx";
import styles from "./details.module.css";
import { Part } from "./part.tsx";
import { costOf, count } from "./usage-part.tsx";

type StepStatus = PlanState["steps"][number]["status"] | RunState["todos"][number]["status"];

const STEP: Record<StepStatus, { mark: string; words: string }> = {
  pending: { mark: "○", words: "to do" },
  running: { mark: "◐", words: "in progress" },
  in_progress: { mark: "◐", words: "in progress" },
  completed: { mark: "●", words: "done" },
  failed: { mark: "✕", words: "failed" },
  cancelled: { mark: "–", words: "dropped" },
};
const PLAN: Record<PlanState["status"], string> = {
  active: "being worked on",
  completed: "completed",
  failed: "failed",
  escalated: "needs a decision",
};
const NO_TODOS: RunState["todos"] = [];
const NO_SUBAGENTS: RunState["subagents"] = [];

export function WorkPart({ runId }: { runId: string }) {
  const plan = useRun(runId, (run) => run.plan) ?? null;
  const todos = useRun(runId, (run) => run.todos) ?? NO_TODOS;
  const subagents = useRun(runId, (run) => run.subagents) ?? NO_SUBAGENTS;
  return (
    <>
      {plan && <Plan plan={plan} />}
      {todos.length > 0 && (
        <Part title="To do">
          <ol className={styles.steps}>
            {todos.map(({ id, content, status }) => (
              <Step key={id} name={content} status={status} note="" />
            ))}
          </ol>
        </Part>
      )}
      {subagents.length > 0 && (
        <Part title="Subagents">
          <ul className="plain-list">
            {subagents.map((subagent) => (
              <Subagent key={subagent.subagentId} subagent={subagent} />
            ))}
          </ul>
        </Part>
      )}
    </>
  );
}

function Plan({ plan: { goal, status, steps, replans } }: { plan: PlanState }) {
  const done = steps.filter((step) => step.status === "completed").length;
  return (
    <Part title="Plan">
      <p>{visibleLine(goal)}</p>
      <p className={styles.hint}>
        {done} of {plural(steps.length, "step")} done, {PLAN[status]}
        {replans > 0 && `, planned anew ${plural(replans, "time")}`}
      </p>
      <ol className={styles.steps}>
        {steps.map(({ stepId, name, status: at, fallbacks }) => (
          <Step
            key={stepId}
            name={name}
            status={at}
            note={fallbacks > 0 ? `${plural(fallbacks, "other approach", "other approaches")}` : ""}
          />
        ))}
      </ol>
    </Part>
  );
}

function Step({ name, status, note }: { name: string; status: StepStatus; note: string }) {
  return (
    <li data-status={status}>
      <span aria-hidden="true">{STEP[status].mark}</span>
      <span>
        {visibleLine(name)}
        <span className="visually-hidden">, {STEP[status].words}</span>
        {note !== "" && <span className={styles.hint}> · {note}</span>}
      </span>
    </li>
  );
}

function Subagent({ subagent }: { subagent: RunState["subagents"][number] }) {
  const { childRunId, title, status: emitted } = subagent;
  const status = useRun(childRunId, (run) => run.status) ?? emitted;
  const usage = useRun(childRunId, (run) => run.usage);
  return (
    <li className={styles.entry} data-status={status}>
      <button
        type="button"
        className={styles.link}
        onClick={() => select({ runId: childRunId, seq: 1 })}
      >
        {visibleLine(title) || childRunId}
      </button>
      <span className={styles.hint}>
        {usage?.total_tokens != null && `${count(usage.total_tokens)} tokens · ${costOf([usage])}`}
      </span>
      <Badge tone={RUN_STATUS[status].tone} status={status} dot>
        {RUN_STATUS[status].label}
      </Badge>
    </li>
  );
}
