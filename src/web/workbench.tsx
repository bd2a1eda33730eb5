// The page for someone logged in: the sidebar, and beside it the page the address names.
import { lazy, Suspense, useCallback, useEffect, useMemo, useState } from "react";
import { createApi } from "../client/api.ts";
import { AppContext } from "./app-context.ts";
import { ActionsContext, createActions } from "./keys/actions.ts";
import { listenForKeys } from "./keys/dispatch.ts";
import { SessionPage } from "./session/session-page.tsx";
import { Sidebar } from "./sidebar/sidebar.tsx";
import { StartPage } from "./start/start-page.tsx";
import { useOutbox } from "./use-outbox.ts";
import { usePoll } from "./use-poll.ts";
import { useRoute, type Route } from "./use-route.ts";
import styles from "./workbench.module.css";

const SESSIONS_MS = 3_000;
const STATUS_MS = 15_000;
const SESSION_LIMIT = 200;

type WorkbenchProps = { csrf: string | null; onLoggedOut: () => void };

export function Workbench({ csrf, onLoggedOut }: WorkbenchProps) {
  const api = useMemo(() => createApi({ base: "", credentials: { kind: "cookie", csrf } }), [csrf]);
  const outbox = useOutbox(api);
  const askSessions = useCallback(
    (signal: AbortSignal) => api.sessions({ limit: SESSION_LIMIT, offset: 0 }, signal),
    [api],
  );
  const [status] = usePoll({ ask: api.status, everyMs: STATUS_MS, onDenied: onLoggedOut });
  const [sessions, refreshSessions] = usePoll({
    ask: askSessions,
    everyMs: SESSIONS_MS,
    onDenied: onLoggedOut,
  });
  const [drawer, setDrawer] = useState<"open" | "closed">("closed");
  const route = useRoute();
  const openDrawer = useCallback(() => setDrawer("open"), []);
  const closeDrawer = useCallback(() => setDrawer("closed"), []);

  const app = useMemo(
    () =>
      outbox && {
        api,
        outbox,
        status,
        sessions,
        refreshSessions,
        openDrawer,
        loggedOut: onLoggedOut,
      },
    [api, outbox, status, sessions, refreshSessions, openDrawer, onLoggedOut],
  );
  const [actions] = useState(createActions);
  useEffect(() => listenForKeys(window, actions.list), [actions]);
  if (!app) return null;
  return (
    <AppContext value={app}>
      <ActionsContext value={actions}>
        <div className={styles.workbench}>
          <a className={styles.skip} href="#composer">
            Skip to the message field
          </a>
          <Sidebar route={route} drawer={drawer} onClose={closeDrawer} />
          <main className={styles.main}>
            <Page route={route} />
          </main>
        </div>
      </ActionsContext>
    </AppContext>
  );
}

const InboxPage = lazy(async () => ({
  default: (await import("./inbox/inbox-page.tsx")).InboxPage,
}));
const ApprovePage = lazy(async () => ({
  default: (await import("./inbox/approve-page.tsx")).ApprovePage,
}));
const SettingsPage = lazy(async () => ({
  default: (await import("./settings/settings-page.tsx")).SettingsPage,
}));

function Page({ route }: { route: Route }) {
  if (route.page === "session") return <SessionPage key={route.sessionId} route={route} />;
  if (route.page === "start") return <StartPage />;
  return (
    <Suspense fallback={null}>
      {route.page === "inbox" && <InboxPage />}
      {route.page === "settings" && <SettingsPage />}
      {route.page === "approve" && <ApprovePage requestId={route.requestId} />}
    </Suspense>
  );
}
