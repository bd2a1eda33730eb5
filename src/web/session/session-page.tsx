// The page of one session.
import { Suspense, useCallback, useEffect, useMemo, useState, type ReactNode } from "react";
import { momentOf } from "../../kernel/client/sessions/store.ts";
import { useApp } from "../app-context.ts";
import { CompareAction } from "../../features/compare/web/action.tsx";
import { Composer } from "../composer/composer.tsx";
import { WaitingList } from "../queue/waiting-list.tsx";
import { DemoPanel } from "../../features/demo/web/demo-panel.tsx";
import { GoalBar } from "../goal/goal-bar.tsx";
import { useReplayNoted } from "../hud/replay-mark.ts";
import { PlanPanel } from "../plan/plan-panel.tsx";
import { IMPORTED } from "../../kernel/events/share-policy.ts";
import { visibleLine } from "../../kernel/text/visible-text.ts";
import { own } from "../../kernel/events/own.ts";
import { ExportAction } from "../../features/share/web/export-action.tsx";
import { LazyImportedSession } from "../../features/share/web/import-action.tsx";
import { IconButton } from "../ui/button.tsx";
import { Link } from "../ui/link.tsx";
import { adjust, type PanelName, type SessionRoute } from "../use-route.ts";
import { RunView } from "../views/run-view.tsx";
import { Scrubber } from "../views/scrubber.tsx";
import { PanelActions, SidePanel } from "../views/side-panel.tsx";
import { ViewTabs } from "../views/view-tabs.tsx";
import { activeRunId, currentStatus } from "./active-run.ts";
import { BranchLine } from "./branch-line.tsx";
import { ConnectionPill, DriftMark } from "./connection-pill.tsx";
import { ContextBadge } from "./context-badge.tsx";
import { DeletedBar } from "./deleted-bar.tsx";
import { RunBadge } from "./runs/badge.tsx";
import { UnknownRun } from "./unknown-run.tsx";
import { RecordingBadge, YoloBadge } from "./safety-badges.tsx";
import styles from "./session-page.module.css";
import { SessionTitle } from "./session-title.tsx";
import { SheetHost } from "./sheet-host.tsx";
import { SheetContext, type OpenSheet } from "./sheets.ts";
import { PlainTitle, TopBar } from "./top-bar.tsx";
import {
  LiveContext,
  SessionContext,
  useLive,
  useSession,
  useSessionStore,
  useLiveStore,
} from "./use-session.ts";
import { heardOf, milestone } from "./milestones.ts";

export function SessionPage({ route }: { route: SessionRoute }) {
  const store = useSessionStore(route.sessionId);
  const { at } = route;
  const shown = useMemo(
    () => (store && at !== undefined ? momentOf(store, at) : store),
    [store, at],
  );
  if (!store) return null;
  return (
    <LiveContext value={store}>
      <SessionContext value={shown}>
        <OpenSession route={route} />
      </SessionContext>
    </LiveContext>
  );
}

function OpenSession({ route }: { route: SessionRoute }) {
  const { sessionId, panel } = route;
  const { loggedOut, refreshSessions } = useApp();
  const raw = useSession(({ session }) => session.title);
  const title = visibleLine(raw) || "Session";
  const failure = useLive(({ connection }) => connection.failure);
  const denied = useLive(({ connection }) => connection.state === "denied");
  const status = useLive(currentStatus);
  const there = useLive(({ caughtUp }) => caughtUp); // before that nothing would stay where it is
  const going = useLive(activeRunId);
  const active = there ? going : null; // of the past that is being read, a run that is long over seems to go on
  const [sheet, setSheet] = useState<OpenSheet | null>(null);
  useReplayNoted(); // what the activity feed shows as past begins with the opening of the page
  const closeSheet = useCallback(() => setSheet(null), []);

  useEffect(() => {
    document.title = `${title} · Quarterdeck`;
  }, [title]);
  useEffect(refreshSessions, [refreshSessions, status, title]); // the list should not lag behind the page
  useEffect(() => {
    if (denied && failure?.status === 401) loggedOut();
  }, [denied, failure, loggedOut]);

  const source = useLive(({ session }) => session.source);
  const otherStage = own(STAGES, source);
  if (denied) return <NoSession message={failure?.message ?? "The server refused this session."} />;
  return (
    <SheetContext value={setSheet}>
      <SessionBar
        title={<SessionTitle sessionId={sessionId} title={title} raw={raw} />}
        panel={panel}
        onSettings={() => setSheet({ kind: "settings" })}
      />
      {otherStage ? (
        <Suspense fallback={null}>
          <DeletedBar sessionId={sessionId} />
          {otherStage(route)}
        </Suspense>
      ) : (
        <Stage route={route} activeRunId={active} />
      )}
      <ExportAction onOpen={() => setSheet({ kind: "export", runId: null })} />
      <Announcer />
      <SheetHost open={sheet} sessionId={sessionId} onClose={closeSheet} />
    </SheetContext>
  );
}

/** Sessions that are not shown as runs, by their source. */
const STAGES: Readonly<Record<string, (route: SessionRoute) => ReactNode>> = {
  [IMPORTED]: (route) => <LazyImportedSession route={route} />,
};

function Stage({ route, activeRunId }: { route: SessionRoute; activeRunId: string | null }) {
  const { sessionId, view = "chat", panel } = route;
  const there = useLive(({ caughtUp }) => caughtUp);
  return (
    <>
      <div className="flex flex-1 min-h-0">
        <div className="stack fill">
          <ViewTabs view={view} />
          {there && <AboveView route={route} />}
          <RunView view={view} sessionId={sessionId} />
          {there && <Scrubber />}
          {there && view === "chat" && <DemoPanel />}
          {there && <WaitingList activeRunId={activeRunId} />}
          <Composer sessionId={sessionId} activeRunId={activeRunId} />
        </div>
        {panel && <SidePanel panel={panel} />}
      </div>
      <PanelActions panel={panel} />
      <CompareAction />
    </>
  );
}

function AboveView({ route: { sessionId, runId } }: { route: SessionRoute }) {
  return (
    <>
      <PlanPanel />
      <GoalBar sessionId={sessionId} />
      <BranchLine />
      <DeletedBar sessionId={sessionId} />
      <UnknownRun runId={runId} />
    </>
  );
}

type SessionBarProps = {
  title: ReactNode;
  panel: PanelName | undefined;
  onSettings: () => void;
};

function SessionBar({ title, panel, onSettings }: SessionBarProps) {
  const there = useLive(({ caughtUp }) => caughtUp);
  const shown = useSession(currentStatus); // of the moment that is shown
  const status = there ? shown : null;
  const model = useSession(({ session }) => session.model);
  const yolo = useSession(({ session }) => session.yolo);
  const isImported = useLive(({ session }) => session.source === IMPORTED);
  return (
    <TopBar
      title={title}
      model={model}
      there={there && !isImported} // of the model and the sandbox elsewhere nothing is known here
      trust={
        <>
          <ConnectionPill />
          {there && isImported && <RecordingBadge />}
          {there && yolo && <YoloBadge />}
          <DriftMark />
        </>
      }
      status={status && <RunBadge status={status} />}
      actions={
        <>
          <IconButton
            icon="sliders"
            label="Session settings"
            title="Session settings"
            onClick={onSettings}
          />
          <IconButton
            id="panel-button"
            icon="panel"
            label="Side panel"
            title="Side panel"
            aria-expanded={panel !== undefined}
            onClick={() => adjust({ panel: panel === undefined ? "details" : undefined })}
          />
        </>
      }
    >
      <ContextBadge />
    </TopBar>
  );
}

/** Keeps the top bar, because on phones it is the only way back to the sessions. */
function NoSession({ message }: { message: string }) {
  return (
    <>
      <TopBar title={<PlainTitle text="Session" />} there={false} />
      <div className={styles.missing} data-page="missing">
        <h2 className="text-l">Nothing to show here</h2>
        <p className="muted">{message}</p>
        <Link to={{ page: "start" }}>Start a new session</Link>
      </div>
    </>
  );
}

// The live region for announcements.
function Announcer() {
  const store = useLiveStore();
  const [spoken, setSpoken] = useState("");
  useEffect(() => {
    let heard = heardOf(store.getState());
    return store.subscribe(() => {
      const view = store.getState();
      const next = milestone(heard, view);
      heard = heardOf(view);
      if (next !== null) setSpoken(next);
    });
  }, [store]);
  return (
    <p className="visually-hidden" role="status" aria-label="Milestones">
      {spoken}
    </p>
  );
}
