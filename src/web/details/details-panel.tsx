// Details of the shown run at the shown moment: model, usage, plan, and its session.
import { useSession, useSource } from "../session/use-session.ts";
import { useShownRun } from "../session/shown-run.ts";
import styles from "./details.module.css";
import { RunFacts } from "./run-facts.tsx";
import { SessionPart } from "./session-part.tsx";
import { TurnsPart } from "./turns-part.tsx";
import { UsagePart } from "./usage-part.tsx";
import { WorkPart } from "./work-part.tsx";

export function DetailsPanel() {
  const runId = useShownRun();
  const { sessionId } = useSource();
  const known = useSession(({ runs }) => runId !== null && runs[runId] !== undefined);
  return (
    <div className={styles.panel} data-details>
      {runId !== null && known ? (
        <>
          <RunFacts key={runId} runId={runId} />
          <UsagePart runId={runId} />
          <TurnsPart runId={runId} />
          <WorkPart runId={runId} />
        </>
      ) : (
        <p className={styles.empty}>Nothing has run here yet.</p>
      )}
      <SessionPart sessionId={sessionId} shownRunId={runId} />
    </div>
  );
}
