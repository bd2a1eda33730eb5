// The result of each due time, with a link to its session.
import { cronCalls } from "../client.ts";
import type { CronJobRecord, CronTick } from "../records.ts";
import { visibleLine } from "../../../kernel/text/visible-text.ts";
import { useCalls } from "../../../web/app-context.ts";
import { useSystemQuery } from "../../../web/use-query.ts";
import { useOlder } from "../../../web/admin/use-older.ts";
import { Badge } from "../../../web/ui/badge.tsx";
import { Button } from "../../../web/ui/button.tsx";
import { Link } from "../../../web/ui/link.tsx";
import { Problem } from "../../../web/ui/problem.tsx";
import styles from "./page.module.css";
import { RUN_STATUS } from "../../../web/session/runs/status-label.ts";
import { describeDelivery, describeDue, RESULT_LABELS } from "./labels.ts";

export function CronHistoryList({ job }: { job: CronJobRecord }) {
  const { job_id, time_zone } = job;
  const calls = useCalls(cronCalls);
  const { value, problem } = useSystemQuery([job_id], (signal) =>
    calls.history(job_id, undefined, signal),
  );
  const older = useOlder(value, {
    ask: (before) => calls.history(job_id, before),
    entriesOf: (page) => page.ticks,
  });
  if (!value) return problem ? <Problem text={problem} /> : <p>Loading…</p>;
  const ticks = [...value.ticks, ...older.entries];
  return (
    <div className={styles.history} data-part="history">
      <Problem text={problem ?? older.problem} />
      {ticks.length === 0 && <p className="muted">Nothing was due yet.</p>}
      <ol>
        {ticks.map((tick) => (
          <li key={tick.seq}>
            <CronTickLine tick={tick} zone={time_zone} />
          </li>
        ))}
      </ol>
      {older.more && <Button onClick={older.read}>Older</Button>}
    </div>
  );
}

export function CronTickLine({ tick, zone }: { tick: CronTick; zone: string }) {
  const { label, tone } = RESULT_LABELS[tick.result];
  const run = tick.status === null ? null : RUN_STATUS[tick.status];
  const delivered = describeDelivery(tick);
  return (
    <div className="stack min-w-0 gap-xs" data-result={tick.result}>
      <span className="flex flex-wrap items-baseline gap-row small">
        <Badge tone={tone} status={tick.result}>
          {label}
        </Badge>
        {run && (
          <Badge tone={run.tone} status={tick.status ?? ""}>
            {run.label}
          </Badge>
        )}
        <span className="hint">{describeDue(tick, zone)}</span>
        {tick.session_id !== null && (
          <Link
            to={{ page: "session", sessionId: tick.session_id, runId: tick.run_id ?? undefined }}
          >
            Open the session
          </Link>
        )}
      </span>
      {tick.reason !== "" && tick.result !== "manual" && (
        <span className="hint">{visibleLine(tick.reason)}</span>
      )}
      {tick.output && <span className="small ellipsis">{visibleLine(tick.output)}</span>}
      {delivered && <span className="hint">{visibleLine(delivered)}</span>}
    </div>
  );
}
