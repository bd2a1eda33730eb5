// The page for someone logged in: the sidebar, and beside it the page the address names.
import { useCallback, useMemo, useState } from "react";
import { createApi } from "../client/api.ts";
import { AppContext } from "./app-context.ts";
import { SessionPage } from "./session/session-page.tsx";
import { Sidebar } from "./sidebar/sidebar.tsx";
import { StartPage } from "./start/start-page.tsx";
import { useOutbox } from "./use-outbox.ts";
import { usePoll } from "./use-poll.ts";
import { useRoute } from "./use-route.ts";
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
  if (!app) return null;
  return (
    <AppContext value={app}>
      <div className={styles.workbench}>
        <a className={styles.skip} href="#composer">
          Skip to the message field
        </a>
        <Sidebar route={route} drawer={drawer} onClose={closeDrawer} />
        <main className={styles.main}>
          {route.page === "start" ? (
            <StartPage />
          ) : (
            <SessionPage key={route.sessionId} sessionId={route.sessionId} />
          )}
        </main>
      </div>
    </AppContext>
  );
}
