// The session of the run: goal, runs, and related sessions.
import { useMemo, useState } from "react";
import { CompareButton } from "../../features/compare/web/button.tsx";
import type { RunState } from "../../kernel/state/run/state.ts";
import type { RunSummary } from "../../kernel/state/session/session-state.ts";
import { toArray } from "../../kernel/state/vector.ts";
import { visibleLine } from "../../kernel/text/visible-text.ts";
import { useApp } from "../app-context.ts";
import { RUN_STATUS } from "../session/runs/status-label.ts";
import { useSession, useSource } from "../session/use-session.ts";
import { plural } from "../text/format.ts";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { Link } from "../ui/link.tsx";
import { Time } from "../ui/time.tsx";
import styles from "./details.module.css";
import { Fact, Part } from "./part.tsx";
import { costOf } from "./usage-part.tsx";
import { useLedger } from "./use-moment.ts";

type SessionPartProps = { sessionId: string; shownRunId: string | null };

export function SessionPart({ sessionId, shownRunId }: SessionPartProps) {
  const goal = useSession(({ session }) => session.goal);
  return (
    <Part title="Session">
      <dl className="stack gap-s m-0">
        <Fact name="Id">
          <code className="flex-1 min-w-0">{sessionId}</code>
          <CopyButton text={sessionId} what="the session’s id" />
        </Fact>
        {goal && (
          <Fact name="Goal">
            {visibleLine(goal.text)}
            <span>{goal.status}</span>
          </Fact>
        )}
        <Spent />
        <Lineage sessionId={sessionId} />
      </dl>
      <Runs sessionId={sessionId} shownRunId={shownRunId} />
    </Part>
  );
}

/** Includes undone runs, because they were paid for. */
function Spent() {
  const source = useSource();
  useLedger();
  const all = Object.values(source.getState().runs).map(({ usage }) => usage);
  if (all.length === 0) return null;
  return (
    <Fact name="Cost">
      {costOf(all)} <span>· in {plural(all.length, "run")}, subagents and undone ones too</span>
    </Fact>
  );
}

function Lineage({ sessionId }: { sessionId: string }) {
  const { sessions } = useApp();
  const parentId = useSession(({ session }) => session.parentSessionId);
  const children = sessions?.filter((each) => each.parent_session_id === sessionId) ?? [];
  const titleOf = (id: string) =>
    visibleLine(sessions?.find((each) => each.session_id === id)?.title ?? "") || id;
  return (
    <>
      {parentId !== null && (
        <Fact name="Branch of">
          <Link to={{ page: "session", sessionId: parentId }}>{titleOf(parentId)}</Link>
        </Fact>
      )}
      {children.length > 0 && (
        <Fact name="Branches">
          <ul className="plain-list">
            {children.map(({ session_id }) => (
              <li key={session_id}>
                <Link to={{ page: "session", sessionId: session_id }}>{titleOf(session_id)}</Link>
              </li>
            ))}
          </ul>
        </Fact>
      )}
    </>
  );
}

function Runs({ sessionId, shownRunId }: SessionPartProps) {
  const source = useSource();
  const order = useSession(({ session }) => session.runs);
  const ledger = useLedger();
  const [all, setAll] = useState(false);
  const roots = useMemo(
    () => toArray(order).filter(({ parentRunId }) => parentRunId === null),
    [order],
  );
  const trees = useMemo(
    () => Map.groupBy(ledger ? Object.values(source.getState().runs) : [], rootOf),
    [source, ledger], // whenever something was used
  );
  if (roots.length === 0) return null;
  const shown = all ? roots : roots.slice(-FEW);
  return (
    <>
      <h3 className={styles.sub}>{plural(roots.length, "run")}</h3>
      <ol className="plain-list" aria-label="Runs">
        {shown.map((run) => (
          <RunEntry
            key={run.runId}
            run={run}
            tree={trees.get(run.runId) ?? []}
            sessionId={sessionId}
            shownRunId={shownRunId}
          />
        ))}
      </ol>
      {shown.length < roots.length && (
        <Button tone="quiet" onClick={() => setAll(true)}>
          Show all {roots.length.toLocaleString("en")}
        </Button>
      )}
    </>
  );
}

const FEW = 50;
const rootOf = ({ rootRunId }: RunState) => rootRunId;

type RunEntryProps = SessionPartProps & { run: RunSummary; tree: readonly RunState[] };

function RunEntry({ run, tree, sessionId, shownRunId }: RunEntryProps) {
  const { runId, prompt, status, createdAt, rewound } = run;
  const shown = runId === shownRunId;
  const words = visibleLine(prompt) || runId;
  return (
    <li className={styles.entry} data-status={status} data-selected={shown || undefined}>
      <Link
        to={{ page: "session", sessionId, runId, panel: "details" }}
        aria-current={shown || undefined}
        className={styles.runLink}
      >
        {words}
      </Link>
      <span className={styles.hint}>
        <Time at={createdAt} /> · {costOf(tree.map(({ usage }) => usage))}
        {rewound && " · undone"}
      </span>
      <Badge tone={RUN_STATUS[status].tone} status={status} dot>
        {RUN_STATUS[status].label}
      </Badge>
      {!shown && shownRunId !== null && (
        <CompareButton
          runId={shownRunId}
          other={runId}
          tone="quiet"
          aria-label={`Compare with ${words}`}
        />
      )}
    </li>
  );
}
