import { isTerminal } from "../../kernel/state/run/status.ts";
import type { SessionState } from "../../kernel/state/session/session-state.ts";
import { values } from "../../kernel/state/vector.ts";
import { visibleLine } from "../../kernel/text/visible-text.ts";
import { RUN_STATUS } from "../session/runs/status-label.ts";
import { select } from "../session/selection.ts";
import { useRun, useSession } from "../session/use-session.ts";
import { duration, elapsed, plural } from "../text/format.ts";
import { Badge } from "../ui/badge.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { Time } from "../ui/time.tsx";
import styles from "./details.module.css";
import { Fact, Part } from "./part.tsx";
import { useLedger, useMoment } from "./use-moment.ts";

const SANDBOX = { none: "none: tools run as you", bubblewrap: "bubblewrap" } as const;

export function RunFacts({ runId }: { runId: string }) {
  const model = useRun(runId, (run) => run.model) ?? "";
  const profile = useRun(runId, (run) => run.profile) ?? "";
  const workspace = useRun(runId, (run) => run.workspace) ?? "";
  const sandbox = useRun(runId, (run) => run.sandbox) ?? null;
  const runner = useRun(runId, (run) => run.runnerId) ?? null;
  const project = useRun(runId, (run) => run.project) ?? null;
  return (
    <Part title="Run">
      <dl className="stack gap-s m-0">
        <Fact name="Id">
          <code className="flex-1 min-w-0">{runId}</code>
          <CopyButton text={runId} what="the run’s id" />
        </Fact>
        <Status runId={runId} />
        <Fact name="Model">{visibleLine(model) || "—"}</Fact>
        <Fact name="Profile">{visibleLine(profile) || "—"}</Fact>
        {project && <Fact name="Project">{visibleLine(project.name)}</Fact>}
        <Fact name="Workspace">
          <code>{visibleLine(workspace) || "—"}</code>
        </Fact>
        <Fact name="Sandbox">{sandbox === null ? "not begun" : SANDBOX[sandbox]}</Fact>
        <Fact name="Runner">{runner === null ? "none right now" : <code>{runner}</code>}</Fact>
        <Times runId={runId} />
        <Recoveries runId={runId} />
      </dl>
    </Part>
  );
}

function Status({ runId }: { runId: string }) {
  const status = useRun(runId, (run) => run.status) ?? "queued";
  const reason = useRun(runId, (run) => run.statusReason) ?? null;
  const error = useRun(runId, (run) => run.error) ?? null;
  const undone = useSession(({ session }) => isUndone(session, runId));
  return (
    <Fact name="Status">
      <Badge tone={RUN_STATUS[status].tone} status={status} dot>
        {RUN_STATUS[status].label}
      </Badge>
      {undone && <span>undone: no longer part of the conversation</span>}
      {reason !== null && <span>{visibleLine(reason.replaceAll("_", " "))}</span>}
      {error && <span className={styles.bad}>{visibleLine(error.message)}</span>}
    </Fact>
  );
}

function isUndone({ runs }: SessionState, runId: string): boolean {
  for (const run of values(runs)) if (run.runId === runId) return run.rewound;
  return false;
}

function Times({ runId }: { runId: string }) {
  const created = useRun(runId, (run) => run.createdAt) ?? 0;
  const run = useLedger()[runId];
  const ended = run?.endedAt ?? null;
  return (
    <>
      <Fact name="Asked for">
        <Time at={created} />
      </Fact>
      <Fact name="Started">
        {run?.startedAt == null ? "not yet" : <Time at={run.startedAt} />}
        {run?.startedAt != null && run.startedAt - created >= 1 && (
          <span>· after {duration((run.startedAt - created) * 1_000)} in the queue</span>
        )}
      </Fact>
      <Fact name="Ended">{ended === null ? "not yet" : <Time at={ended} />}</Fact>
      <Took runId={runId} created={created} ended={ended} />
    </>
  );
}

type TookProps = { runId: string; created: number; ended: number | null };

function Took({ runId, created, ended }: TookProps) {
  const moment = useMoment();
  const status = useRun(runId, (run) => run.status) ?? "queued";
  const active = useRun(runId, (run) => Math.floor(run.activeSeconds)) ?? 0;
  const updated = useRun(runId, (run) => Math.floor(run.updatedAt)) ?? created;
  const since = status === "running" ? Math.max(0, moment - updated) : 0;
  const going = !isTerminal(status);
  const took = ((ended ?? moment) - created) * 1_000;
  return (
    <Fact name="Took">
      {going ? elapsed(took) : duration(took)}
      <span>· {elapsed((active + since) * 1_000)} of it active</span>
    </Fact>
  );
}

function Recoveries({ runId }: { runId: string }) {
  const recoveries = useLedger()[runId]?.recoveries ?? [];
  return (
    <Fact name="Recoveries">
      {recoveries.length === 0 ? "none" : plural(recoveries.length, "time")}
      {recoveries.length > 0 && (
        <ul className={styles.recoveries}>
          {recoveries.map(({ seq, at, message }) => (
            <li key={seq}>
              <button type="button" onClick={() => select({ runId, seq })}>
                <Time at={at} /> · {visibleLine(message)}
              </button>
            </li>
          ))}
        </ul>
      )}
    </Fact>
  );
}
