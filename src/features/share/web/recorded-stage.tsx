// A recording in the views and panels of a live session. Everything is read-only.
import { useMemo, type ReactNode } from "react";
import type { RecordedFile } from "../client/file.ts";
import { momentOf, type SessionStore } from "../../../kernel/client/session-store.ts";
import { PlanPanel } from "../../../web/plan/plan-panel.tsx";
import { SheetContext, type OpenSheetFn } from "../../../web/session/sheets.ts";
import { UnknownRun } from "../../../web/session/unknown-run.tsx";
import { LiveContext, RecordedContext, SessionContext } from "../../../web/session/use-session.ts";
import { adjust, type SessionRoute } from "../../../web/use-route.ts";
import { RunView } from "../../../web/views/run-view.tsx";
import { Scrubber } from "../../../web/views/scrubber.tsx";
import { PanelActions, SidePanel } from "../../../web/views/side-panel.tsx";
import { ViewTabs } from "../../../web/views/view-tabs.tsx";
import { RecordedNote } from "./recorded-note.tsx";

/** Changes have a panel; every other sheet is for an action that a recording cannot do. */
const openSheet: OpenSheetFn = ({ kind }) => {
  if (kind === "changes") adjust({ panel: "changes" });
};

type RecordedProps = {
  file: RecordedFile;
  store: SessionStore;
  route: SessionRoute;
  children?: ReactNode; // above the views
};

export function Recorded({ file, store, route, children }: RecordedProps) {
  const { view = "chat", panel, at, runId } = route;
  const shown = useMemo(() => (at === undefined ? store : momentOf(store, at)), [store, at]);
  return (
    <RecordedContext value>
      <LiveContext value={store}>
        <SessionContext value={shown}>
          <SheetContext value={openSheet}>
            {children}
            <div className="flex flex-1 min-h-0">
              <div className="stack fill">
                <ViewTabs view={view} />
                <RecordedNote manifest={file.manifest} />
                <PlanPanel />
                <UnknownRun runId={runId} />
                <RunView view={view} sessionId={store.sessionId} />
                <Scrubber />
              </div>
              {panel && <SidePanel panel={panel} />}
            </div>
            <PanelActions panel={panel} />
          </SheetContext>
        </SessionContext>
      </LiveContext>
    </RecordedContext>
  );
}
