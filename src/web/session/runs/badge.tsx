// The status of the run; if it needs someone, a link to the request.
import type { SessionView } from "../../../kernel/client/sessions/store.ts";
import type { RunStatus } from "../../../kernel/state/run/status.ts";
import { values } from "../../../kernel/state/vector.ts";
import { Badge } from "../../ui/badge.tsx";
import { adjust } from "../../use-route.ts";
import { RUN_STATUS } from "./status-label.ts";
import type { Anchor } from "../selection.ts";
import styles from "../top-bar.module.css";
import { useLiveStore } from "../use-session.ts";

export function RunBadge({ status }: { status: RunStatus }) {
  const store = useLiveStore();
  const { label, tone } = RUN_STATUS[status];
  const waits = status === "awaiting_approval" || status === "awaiting_clarify";
  const badge = (
    <Badge tone={tone} status={status} dot>
      {label}
    </Badge>
  );
  const show = () => {
    const place = waitingPlace(store.getState());
    if (place) adjust({ view: "chat", at: undefined, ...place });
  };
  return (
    <span role="status" aria-label="Run">
      {waits ? (
        <button type="button" className={styles.needs} title="Show what it needs" onClick={show}>
          {badge}
        </button>
      ) : (
        badge
      )}
    </span>
  );
}

/** The place of the oldest request in the transcript. */
function waitingPlace({ session, runs }: SessionView): Anchor | null {
  const [oldest] = Object.values(session.pending).toSorted((a, b) => a.at - b.at);
  const run = oldest && runs[oldest.runId];
  if (!run) return null;
  for (const item of values(run.items)) {
    const asked = item.kind === "tool" || item.kind === "notice" ? item.request : null;
    if (asked?.id === oldest.requestId) return { runId: run.runId, seq: item.seq };
  }
  return null;
}
