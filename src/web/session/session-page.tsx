// One session: what was said and done, what it needs, and where to say more.
import { useCallback, useEffect, useState, type ReactNode } from "react";
import type { RunStatus } from "../../protocol/run-status.ts";
import { useApp } from "../app-context.ts";
import { Composer } from "../composer/composer.tsx";
import { WaitingList } from "../waiting/waiting-list.tsx";
import { DemoPanel } from "../demo/demo-panel.tsx";
import { GoalBar } from "../goal/goal-bar.tsx";
import { PlanPanel } from "../plan/plan-panel.tsx";
import { visibleLine } from "../../protocol/visible-text.ts";
import { Transcript } from "../transcript/transcript.tsx";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { Link } from "../ui/link.tsx";
import { activeRunId, currentStatus } from "./active-run.ts";
import { Announcer } from "./announcer.tsx";
import { BranchLine } from "./branch-line.tsx";
import { ConnectionPill } from "./connection-pill.tsx";
import { ContextBadge } from "./context-badge.tsx";
import { RUN_STATUS } from "./run-status-label.ts";
import { YoloBadge } from "./safety-badges.tsx";
import styles from "./session-page.module.css";
import { SessionTitle } from "./session-title.tsx";
import { SheetHost } from "./sheet-host.tsx";
import { SheetContext, type OpenSheet } from "./sheets.ts";
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
  const raw = useSession(({ session }) => session.title);
  const title = visibleLine(raw) || "Session";
  const failure = useSession(({ connection }) => connection.failure);
  const denied = useSession(({ connection }) => connection.state === "denied");
  const status = useSession(currentStatus);
  const active = useSession(activeRunId);
  const [sheet, setSheet] = useState<OpenSheet | null>(null);
  const closeSheet = useCallback(() => setSheet(null), []);

  useEffect(() => {
    document.title = `${title} · Quarterdeck`;
  }, [title]);
  useEffect(refreshSessions, [refreshSessions, status, title]); // the list should not lag behind the page
  useEffect(() => {
    if (denied && failure?.status === 401) loggedOut();
  }, [denied, failure, loggedOut]);

  if (denied) return <NoSession message={failure?.message ?? "The server refused this session."} />;
  return (
    <SheetContext value={setSheet}>
      <SessionBar
        title={<SessionTitle sessionId={sessionId} title={title} raw={raw} />}
        status={status}
        onSettings={() => setSheet({ kind: "settings" })}
      />
      <PlanPanel />
      <GoalBar sessionId={sessionId} />
      <BranchLine />
      <Transcript sessionId={sessionId} />
      <DemoPanel />
      <WaitingList activeRunId={active} />
      <Composer sessionId={sessionId} activeRunId={active} />
      <Announcer />
      <SheetHost open={sheet} sessionId={sessionId} onClose={closeSheet} />
    </SheetContext>
  );
}

type SessionBarProps = { title: ReactNode; status: RunStatus | null; onSettings: () => void };

function SessionBar({ title, status, onSettings }: SessionBarProps) {
  const model = useSession(({ session }) => session.model);
  const yolo = useSession(({ session }) => session.yolo);
  return (
    <TopBar
      title={title}
      model={model}
      status={status && <RunBadge status={status} />}
      actions={
        <Button
          tone="quiet"
          size="icon"
          icon="sliders"
          aria-label="Session settings"
          title="Session settings"
          onClick={onSettings}
        />
      }
    >
      {yolo && <YoloBadge />}
      <ConnectionPill />
      <ContextBadge />
    </TopBar>
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
