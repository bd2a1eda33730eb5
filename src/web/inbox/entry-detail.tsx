// One inbox entry in full: a request card, or a failure and its actions.
import type { Trouble } from "../../kernel/api/records/records.ts";
import { visibleLine, visibleText } from "../../kernel/text/visible-text.ts";
import { useApp } from "../app-context.ts";
import { RUN_STATUS } from "../session/runs/status-label.ts";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { Link } from "../ui/link.tsx";
import { Problem } from "../ui/problem.tsx";
import { Time } from "../ui/time.tsx";
import { useMutation } from "../use-mutation.ts";
import { navigate } from "../use-route.ts";
import type { Entry } from "./entries.ts";
import styles from "./entry-detail.module.css";
import { RequestInSession } from "./request-in-session.tsx";

type EntryDetailProps = {
  entry: Entry;
  waiting: number; // how many others
  onNext: () => void;
  onDismiss: (trouble: Trouble) => void;
};

export function EntryDetail({ entry, waiting, onNext, onDismiss }: EntryDetailProps) {
  if (entry.kind === "trouble")
    return <TroubleCard trouble={entry.trouble} onDismiss={onDismiss} />;
  const { session_id: sessionId, run_id: runId, request_id: requestId } = entry.request;
  return (
    <RequestInSession
      sessionId={sessionId}
      runId={runId}
      requestId={requestId}
      gone={<p>It is no longer waiting.</p>}
      after={
        <div className="px-l">
          <Button onClick={onNext}>
            {waiting > 0 ? `Next (${waiting})` : "Back to the inbox"}
          </Button>
        </div>
      }
    />
  );
}

type TroubleCardProps = { trouble: Trouble; onDismiss: (trouble: Trouble) => void };

function TroubleCard({ trouble, onDismiss }: TroubleCardProps) {
  const { api } = useApp();
  const { busy, problem, send } = useMutation();
  const { session_id: sessionId, run_id: runId, status, reason } = trouble;
  const retry = () =>
    send(
      [runId, "retry"],
      (command_id) => api.retry(sessionId, { command_id }),
      () => navigate({ page: "session", sessionId }),
    );
  return (
    <section className={styles.trouble} aria-label="Failures">
      <p className={styles.head}>
        <Badge tone={RUN_STATUS[status].tone} status={status}>
          {RUN_STATUS[status].label}
        </Badge>
        <Link to={{ page: "session", sessionId, runId }}>
          {visibleLine(trouble.title) || "Untitled session"}
        </Link>
        <span className="hint">
          <Time at={trouble.ended_at} />
        </span>
      </p>
      <p className="p-l rounded bad-soft text-color pre-wrap">{visibleText(trouble.message)}</p>
      <p className="hint">
        Reason: <code className="small break-anywhere">{visibleLine(reason)}</code>
      </p>
      <div>
        <p className="hint">You said</p>
        <blockquote className={styles.prompt}>{visibleText(trouble.prompt)}</blockquote>
      </div>
      <Problem text={problem} />
      <div className={styles.choices} data-part="choices">
        <Button tone="primary" icon="again" disabled={busy} onClick={retry}>
          Try again
        </Button>
        <Button onClick={() => navigate({ page: "session", sessionId, runId })}>
          Open the session
        </Button>
        <Button icon="check" onClick={() => onDismiss(trouble)}>
          Dismiss
        </Button>
      </div>
    </section>
  );
}
