// A recording in the views and panels of a live session. Everything is read-only.
import { useMemo, type ReactNode } from "react";
import type { RecordedFile } from "../../client/file.ts";
import { momentOf, type SessionStore } from "../../../../kernel/client/sessions/store.ts";
import { PlanPanel } from "../../../../web/plan/plan-panel.tsx";
import { SheetContext, type OpenSheetFn } from "../../../../web/session/sheets.ts";
import { UnknownRun } from "../../../../web/session/unknown-run.tsx";
import {
  LiveContext,
  RecordedContext,
  SessionContext,
} from "../../../../web/session/use-session.ts";
import { adjust, type SessionRoute } from "../../../../web/use-route.ts";
import { RunView } from "../../../../web/views/run-view.tsx";
import { Scrubber } from "../../../../web/views/scrubber.tsx";
import { PanelActions, SidePanel } from "../../../../web/views/side-panel.tsx";
import { ViewTabs } from "../../../../web/views/view-tabs.tsx";
import type { RecordingManifest } from "../../../../kernel/events/recording-file.ts";
import { PART_LABELS } from "../../../../kernel/events/share-policy.ts";
import { visibleLine } from "../../../../kernel/text/visible-text.ts";
import { exactTime, plural } from "../../../../web/text/format.ts";
import { Icon } from "../../../../web/ui/icon.tsx";
import styles from "../recorded.module.css";

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

// Says that this is a recording, when and by whom it was made, and what was left out.
function RecordedNote({ manifest }: { manifest: RecordingManifest }) {
  const { kind, exported_at, exported_by, without, redacted, verified, missing } = manifest;
  const gone = missing.large + missing.secret + missing.gone + missing.policy;
  return (
    <details className={styles.note} data-recording={manifest.session_id}>
      <summary>
        <Icon name="clock" />
        <span>
          A recording of {new Date(exported_at * 1000).toLocaleDateString()}
          {kind === "run" && ", of one run"}
          {without.length > 0 || redacted > 0 || gone > 0 ? " · redacted" : ""}
        </span>
      </summary>
      <ul>
        <li>
          Made {exactTime(exported_at)} by {visibleLine(exported_by)}, policy “{manifest.policy}”.
        </li>
        <li>
          Left out: known secrets
          {manifest.policy === "share" && " and what looks like a key"}
          {without.map((part) => `; ${PART_LABELS[part]}`)}.
        </li>
        <li>
          {plural(verified, "event")} as stored (the hash fits), {plural(redacted, "event")}{" "}
          redacted (the hash is of what was there before).
        </li>
        <li>
          {plural(manifest.contents, "content")} of files and outputs included
          {gone > 0 && `, ${gone} not (${whyGone(missing)})`}.
        </li>
      </ul>
    </details>
  );
}

const WHY: Record<keyof RecordingManifest["missing"], string> = {
  large: "too large",
  secret: "with a secret or a home folder in it",
  gone: "no longer kept",
  policy: "by policy",
};

function whyGone(missing: RecordingManifest["missing"]): string {
  return Object.entries(missing)
    .filter(([, count]) => count > 0)
    .map(([why, count]) => `${count} ${WHY[why as keyof typeof WHY]}`)
    .join(", ");
}
