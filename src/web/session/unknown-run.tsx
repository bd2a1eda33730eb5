// Says that the address names a run of another session, so the newest is shown.
import { visibleLine } from "../../kernel/text/visible-text.ts";
import styles from "./session-page.module.css";
import { useLive } from "./use-session.ts";

export function UnknownRun({ runId }: { runId: string | undefined }) {
  const missing = useLive(
    ({ caughtUp, runs }) => runId !== undefined && caughtUp && runs[runId] === undefined,
  );
  if (!missing) return null;
  return (
    <p className={styles.branch} role="alert">
      There is no run {visibleLine(runId ?? "")} in this session. What you see is the newest.
    </p>
  );
}
