// Which page the address names. `/` is the start page, `/s/<session_id>` a session; anything else is
// the start page too, so that no address is a dead end.
import { useSyncExternalStore } from "react";

export type Route =
  | { readonly page: "start" }
  | { readonly page: "session"; readonly sessionId: string };

const listeners = new Set<() => void>();
const notify = () => {
  for (const listener of listeners) listener();
};

export function routeOf(path: string): Route {
  const [, encoded] = /^\/s\/([^/]+)\/?$/.exec(path) ?? [];
  if (encoded === undefined) return { page: "start" };
  try {
    return { page: "session", sessionId: decodeURIComponent(encoded) };
  } catch {
    return { page: "start" }; // a malformed escape
  }
}

export function pathOf(route: Route): string {
  return route.page === "start" ? "/" : `/s/${encodeURIComponent(route.sessionId)}`;
}

export function navigate(route: Route): void {
  if (pathOf(route) === location.pathname) return;
  history.pushState(null, "", pathOf(route));
  notify();
}

export function useRoute(): Route {
  return routeOf(useSyncExternalStore(subscribe, () => location.pathname));
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  window.addEventListener("popstate", listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener("popstate", listener);
  };
}
