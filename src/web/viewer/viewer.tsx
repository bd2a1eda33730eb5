// The viewer of an exported file: title, views and keys.
import { useEffect, useMemo, useState } from "react";
import type { RecordedFile } from "../../features/share/client/file.ts";
import { openRecorded } from "../../features/share/client/store.ts";
import { visibleLine } from "../../kernel/text/visible-text.ts";
import { AppContext } from "../app-context.ts";
import { ActionsContext, createActions } from "../keys/actions.ts";
import { listenForKeys } from "../keys/dispatch.ts";
import { recordedApp } from "../../features/share/web/recorded/app.ts";
import { Recorded } from "../../features/share/web/recorded/stage.tsx";
import styles from "../../features/share/web/recorded.module.css";
import { currentStatus } from "../session/active-run.ts";
import { RunBadge } from "../session/runs/badge.tsx";
import { RecordingBadge } from "../session/safety-badges.tsx";
import bar from "../session/top-bar.module.css";
import { useSession } from "../session/use-session.ts";
import { IconButton } from "../ui/button.tsx";
import { adjust, useRoute, type SessionRoute } from "../use-route.ts";

export function Viewer({ file }: { file: RecordedFile }) {
  const { manifest, events } = file;
  const sessionId = manifest.session_id;
  const store = useMemo(() => openRecorded(sessionId, events), [sessionId, events]);
  const app = useMemo(() => recordedApp(file, store), [file, store]);
  const [actions] = useState(createActions);
  useEffect(() => listenForKeys(window, actions.list), [actions]);
  const named = useRoute();
  const begin: SessionRoute = { page: "session", sessionId };
  const route = named.page === "session" ? { ...named, sessionId } : begin;
  return (
    <AppContext value={app}>
      <ActionsContext value={actions}>
        <main id="main" tabIndex={-1} className={styles.page}>
          <Recorded file={file} store={store} route={route}>
            <Head title={manifest.title} panel={route.panel !== undefined} />
          </Recorded>
        </main>
      </ActionsContext>
    </AppContext>
  );
}

function Head({ title, panel }: { title: string; panel: boolean }) {
  const status = useSession(currentStatus);
  const name = visibleLine(title) || "Recording";
  return (
    <header className={bar.bar}>
      <div className={bar.about}>
        <h1 className={bar.title} title={name}>
          {name}
        </h1>
        {status && <RunBadge status={status} />}
      </div>
      <div className={bar.badges}>
        <RecordingBadge />
      </div>
      <IconButton
        id="panel-button"
        icon="panel"
        label="Side panel"
        title="Side panel"
        aria-expanded={panel}
        onClick={() => adjust({ panel: panel ? undefined : "details" })}
      />
    </header>
  );
}
