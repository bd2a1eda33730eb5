// The page after login: sidebar and content.
import { createElement, Suspense, useCallback, useEffect, useMemo, useState } from "react";
import { lazyPart } from "./ui/lazy-part.ts";
import { createApi } from "../kernel/client/api.ts";
import { AppContext } from "./app-context.ts";
import { PAGE_CREDENTIALS } from "./auth/login-proof.ts";
import { AdminActions, ADMIN_VIEWS } from "./admin/admin-views.tsx";
import { ActionsContext, createActions } from "./keys/actions.ts";
import { listenForKeys } from "./keys/dispatch.ts";
import { Overlays } from "./keys/overlays.tsx";
import { ImportAction } from "../features/share/web/import-action.tsx";
import { SessionPage } from "./session/session-page.tsx";
import { Sidebar } from "./sidebar/sidebar.tsx";
import { StartPage } from "./new-session/start-page.tsx";
import { useOutbox } from "./use-outbox.ts";
import { usePageFeed, useSessionList } from "./use-page-feed.ts";
import { useQuery } from "./use-query.ts";
import { useRoute, type Route, navigate, routeOf } from "./use-route.ts";
import styles from "./workbench.module.css";

const STATUS_MS = 15_000;

export function Workbench({ onLoggedOut }: { onLoggedOut: () => void }) {
  const api = useMemo(() => createApi({ base: "", credentials: PAGE_CREDENTIALS }), []);
  const outbox = useOutbox(api);
  const page = usePageFeed(api, onLoggedOut);
  const sessions = useSessionList(page);
  const { value: status } = useQuery(["status"], api.status, {
    everyMs: STATUS_MS,
    onDenied: onLoggedOut,
  });
  const [drawer, setDrawer] = useState<"open" | "closed">("closed");
  const route = useRoute();
  useServiceWorker();
  const openDrawer = useCallback(() => setDrawer("open"), []);
  const closeDrawer = useCallback(() => setDrawer("closed"), []);

  const app = useMemo(
    () =>
      outbox &&
      page && {
        api,
        outbox,
        status,
        sessions,
        board: page.board,
        stores: page.stores,
        storage: page.storage,
        refreshSessions: page.feed.retryNow,
        openDrawer,
        loggedOut: onLoggedOut,
      },
    [api, outbox, page, status, sessions, openDrawer, onLoggedOut],
  );
  const [actions] = useState(createActions);
  useEffect(() => listenForKeys(window, actions.list), [actions]);
  if (!app) return null;
  return (
    <AppContext value={app}>
      <ActionsContext value={actions}>
        <div className={styles.workbench}>
          <SkipLink route={route} />
          <Overlays />
          <AdminActions />
          <ImportAction />
          <Sidebar route={route} drawer={drawer} onClose={closeDrawer} />
          <main id="main" tabIndex={-1} className={styles.main}>
            <Page route={route} />
          </main>
        </div>
      </ActionsContext>
    </AppContext>
  );
}

const InboxPage = lazyPart(() => import("./inbox/inbox-page.tsx"), "InboxPage");
const ApprovePage = lazyPart(() => import("./inbox/approve-page.tsx"), "ApprovePage");

function Page({ route }: { route: Route }) {
  if (route.page === "session") return <SessionPage key={route.sessionId} route={route} />;
  if (route.page === "start") return <StartPage />;
  return (
    <Suspense fallback={null}>
      {route.page === "approve" ? (
        <ApprovePage requestId={route.requestId} />
      ) : route.page === "inbox" ? (
        <InboxPage />
      ) : (
        createElement(ADMIN_VIEWS[route.page])
      )}
    </Suspense>
  );
}

function SkipLink({ route }: { route: Route }) {
  const writes = route.page === "start" || route.page === "session";
  return (
    <a className={styles.skip} href={writes ? "#composer" : "#main"}>
      {writes ? "Skip to the message field" : "Skip to the content"}
    </a>
  );
}

// Registers the service worker when the page is idle, and follows notifications.
type ScriptPolicy = { createScriptURL: (url: string) => string };
type Factory = { createPolicy: (name: string, rules: ScriptPolicy) => ScriptPolicy };

const WORKER = "/sw.js";

function useServiceWorker(): void {
  useEffect(() => {
    if (!("serviceWorker" in navigator)) return; // an insecure address, or a browser without
    const { serviceWorker } = navigator;
    const onMessage = ({ data }: MessageEvent<{ open?: unknown }>) => {
      if (typeof data.open === "string") navigate(routeOf(data.open));
    };
    serviceWorker.addEventListener("message", onMessage);
    // The page works without it, but not offline.
    serviceWorker.register(address(), { updateViaCache: "none" }).catch(() => undefined);
    return () => serviceWorker.removeEventListener("message", onMessage);
  }, []);
}

let registered: string | undefined;

/** The only script URL this page creates, and a constant. */
function address(): string {
  const factory = (window as { trustedTypes?: Factory }).trustedTypes;
  registered ??=
    factory
      ?.createPolicy("quarterdeck-worker", { createScriptURL: () => WORKER })
      .createScriptURL(WORKER) ?? WORKER;
  return registered;
}
