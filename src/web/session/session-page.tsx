// One session: what was said and done, what it needs, and where to say more.
import { useEffect } from "react";
import type { RunStatus } from "../../protocol/run-status.ts";
import { useApp } from "../app-context.ts";
import { Composer } from "../composer/composer.tsx";
import { DemoPanel } from "../demo/demo-panel.tsx";
import { PlanPanel } from "../plan/plan-panel.tsx";
import { visibleLine } from "../text/visible-text.ts";
import { Transcript } from "../transcript/transcript.tsx";
import { Badge } from "../ui/badge.tsx";
import { Link } from "../ui/link.tsx";
import { activeRunId, currentStatus } from "./active-run.ts";
import { Announcer } from "./announcer.tsx";
import { ConnectionPill } from "./connection-pill.tsx";
import { RUN_STATUS } from "./run-status-label.ts";
import styles from "./session-page.module.css";
import { TopBar } from "./top-bar.tsx";
import { SessionContext, useSession, useSessionStore } from "./use-session.ts";

export function SessionPage({ sessionId }: { sessionId: string }) {
  const { api } = useApp();
  const store = useSessionStore(api, sessionId);
  if (!store) return null;
  return (
    <SessionContext value={store}>
      <OpenSession sessionId={sessionId} />
    </SessionContext>
  );
}

function OpenSession({ sessionId }: { sessionId: string }) {
  const { loggedOut, refreshSessions } = useApp();
  const title = visibleLine(useSession(({ session }) => session.title)) || "Session";
  const failure = useSession(({ connection }) => connection.failure);
  const denied = useSession(({ connection }) => connection.state === "denied");
  const status = useSession(currentStatus);
  const active = useSession(activeRunId);

  useEffect(() => {
    document.title = `${title} · Quarterdeck`;
  }, [title]);
  useEffect(refreshSessions, [refreshSessions, status, title]); // the list should not lag behind the page
  useEffect(() => {
    if (denied && failure?.status === 401) loggedOut();
  }, [denied, failure, loggedOut]);

  if (denied) return <NoSession message={failure?.message ?? "The server refused this session."} />;
  return (
    <>
      <TopBar title={title} status={status && <RunBadge status={status} />}>
        <ConnectionPill />
      </TopBar>
      <PlanPanel />
      <Transcript sessionId={sessionId} />
      <DemoPanel />
      <Composer sessionId={sessionId} activeRunId={active} />
      <Announcer />
    </>
  );
}

function RunBadge({ status }: { status: RunStatus }) {
  const { label, tone } = RUN_STATUS[status];
  return (
    <span role="status" aria-label="Run">
      <Badge tone={tone} status={status} dot>
        {label}
      </Badge>
    </span>
  );
}

function NoSession({ message }: { message: string }) {
  return (
    <div className={styles.missing} data-page="missing">
      <h1>Nothing to show here</h1>
      <p>{message}</p>
      <Link to={{ page: "start" }}>Start a new session</Link>
    </div>
  );
}
