// One schedule: its next time, its last result, and its actions.
import { useId, useState } from "react";
import { cronCalls } from "../client.ts";
import type { CronJobRecord } from "../records.ts";
import { visibleLine } from "../../../kernel/text/visible-text.ts";
import { useCalls } from "../../../web/app-context.ts";
import { Badge } from "../../../web/ui/badge.tsx";
import { Button } from "../../../web/ui/button.tsx";
import { Problem } from "../../../web/ui/problem.tsx";
import { useNow } from "../../../web/ui/use-now.ts";
import { useMutation, type Mutation } from "../../../web/use-mutation.ts";
import { CronHistoryList, CronTickLine } from "./history.tsx";
import styles from "./page.module.css";
import { describeNext } from "./labels.ts";

type CronJobCardProps = { job: CronJobRecord; onEdit: () => void };

export function CronJobCard({ job, onEdit }: CronJobCardProps) {
  const now = useNow(1_000);
  const id = useId();
  const command = useMutation();
  const [history, setHistory] = useState(false);
  return (
    <li className={styles.job} data-job={job.job_id} data-state={job.state} aria-labelledby={id}>
      <header className={styles.head}>
        <h2 id={id}>{visibleLine(job.name)}</h2>
        {job.deliver !== "local" && (
          <Badge tone="neutral" status="deliver">
            to {visibleLine(job.deliver)}
          </Badge>
        )}
        <PauseSwitch job={job} command={command} />
      </header>
      <p className={styles.words}>
        {visibleLine(job.words)} <span className={styles.zone}>{job.time_zone}</span>
      </p>
      <p className={styles.next} data-part="next">
        {describeNext(job, now)}
      </p>
      <p className="hint ellipsis">
        {visibleLine(job.prompt || `Skills: ${job.skills.join(", ")}`)}
      </p>
      {job.last && !history && <CronTickLine tick={job.last} zone={job.time_zone} />}
      <Problem text={command.problem} />
      <Actions
        job={job}
        command={command}
        onEdit={onEdit}
        history={history}
        onHistory={() => setHistory(!history)}
      />
      {history && <CronHistoryList job={job} />}
    </li>
  );
}

function PauseSwitch({ job, command }: { job: CronJobRecord; command: Mutation }) {
  const calls = useCalls(cronCalls);
  if (job.state === "over") return null;
  const paused = job.state === "paused";
  const act = paused ? "resume" : "pause";
  return (
    <button
      type="button"
      role="switch"
      className={styles.switch}
      aria-checked={!paused}
      aria-label={`${job.name}: active`}
      disabled={command.busy}
      onClick={() => command.send({ act, at: job.updated_at }, () => calls.switch(job.job_id, act))}
    >
      <span aria-hidden="true" />
      {paused ? "Paused" : "Active"}
    </button>
  );
}

type ActionsProps = CronJobCardProps & {
  command: Mutation;
  history: boolean;
  onHistory: () => void;
};

function Actions({ job, command, onEdit, history, onHistory }: ActionsProps) {
  const calls = useCalls(cronCalls);
  const [sure, setSure] = useState(false);
  const { job_id } = job;
  if (sure) {
    return (
      <div className={styles.actions} role="group" aria-label="Delete the schedule">
        <span>Delete it? Its runs stay.</span>
        <Button
          tone="danger"
          icon="trash"
          disabled={command.busy}
          onClick={() => command.send("delete", () => calls.switch(job_id, "delete"))}
        >
          Delete
        </Button>
        <Button autoFocus onClick={() => setSure(false)}>
          Keep it
        </Button>
      </div>
    );
  }
  return (
    <div className={styles.actions}>
      <Button
        icon="play"
        disabled={command.busy}
        onClick={() => command.send("run", (command_id) => calls.run(job_id, command_id))}
      >
        Run now
      </Button>
      <Button icon="pencil" onClick={onEdit}>
        Edit
      </Button>
      <Button icon="clock" aria-expanded={history} onClick={onHistory}>
        History
      </Button>
      <Button
        tone="quiet"
        icon="trash"
        onClick={() => setSure(true)}
        aria-label={`Delete ${job.name}`}
      />
    </div>
  );
}
