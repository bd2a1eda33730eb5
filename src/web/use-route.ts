// Parses and builds addresses. Each can be shared and opens the same place; an unknown one is the start page.
//   /                                   start
//   /s/<session>[/r/<run>]?…            a session; with a run and `seq`: that event of it
//      view=chat|tree|timeline|events   how the run is shown
//      panel=files|changes|…            what stands beside it
//      at=<session_seq>                 the moment that is shown; without it: now
//      with=<run>                       the run it is compared with
//   /approve/<request>                  something that needs a person
//   /inbox
//   /settings and the other ADMIN_PAGES what belongs to no session
import { COMPARE_VIEW } from "../features/compare/view.ts";
import { ADMIN_PAGES, type AdminPageName } from "./admin/pages.ts";
import { useSyncExternalStore } from "react";

export const VIEWS = ["chat", "tree", "timeline", "events", COMPARE_VIEW.view] as const;
export type ViewName = (typeof VIEWS)[number];
const PANEL_ROOMS = [
  { name: "files" },
  { name: "changes" },
  { name: "processes" },
  { name: "hud", room: "windows/hud" }, // that it goes with
  { name: "details" },
  { name: "terminal", room: "features/terminals" },
] as const;
export type PanelName = (typeof PANEL_ROOMS)[number]["name"];
export const PANELS: readonly PanelName[] = PANEL_ROOMS.map(({ name }) => name);

export type SessionRoute = {
  readonly page: "session";
  readonly sessionId: string;
  readonly runId?: string | undefined;
  readonly seq?: number | undefined; // of the run: what is selected
  readonly view?: ViewName | undefined; // chat where nothing is said
  readonly panel?: PanelName | undefined;
  readonly path?: string | undefined; // the file that is open in the panel
  readonly line?: number | undefined;
  readonly at?: number | undefined; // session_seq
  readonly with?: string | undefined;
};
export type Route =
  | { readonly page: "start" | "inbox" | AdminPageName }
  | { readonly page: "approve"; readonly requestId: string }
  | SessionRoute;

const listeners = new Set<() => void>();
let inFragment = false;

/** For the viewer, which is a file and has only one address. */
export function addressInFragment(): void {
  inFragment = true;
}

export function hrefOf(route: Route): string {
  return inFragment ? `#${pathOf(route)}` : pathOf(route);
}

const notify = () => {
  for (const listener of listeners) listener();
};

export function routeOf(address: string): Route {
  const { pathname, searchParams } = new URL(address, "http://page");
  const parts = pathname.split("/").slice(1).map(decoded);
  const [place, id, within, runId] = parts;
  const house = ADMIN_PAGES.find(({ name }) => name === place);
  if (house) return { page: house.name };
  if (place === "inbox") return { page: place };
  if (place === "approve" && id) return { page: "approve", requestId: id };
  if (place !== "s" || !id) return { page: "start" };
  return {
    page: "session",
    sessionId: id,
    ...(within === "r" && runId && { runId, ...whole(searchParams, "seq") }),
    ...oneOf(searchParams, "view", VIEWS),
    ...oneOf(searchParams, "panel", PANELS),
    ...text(searchParams, "path"),
    ...whole(searchParams, "line"),
    ...whole(searchParams, "at"),
    ...text(searchParams, "with"),
  };
}

export function pathOf(route: Route): string {
  if (route.page === "start") return "/";
  if (route.page === "approve") return `/approve/${encodeURIComponent(route.requestId)}`;
  if (route.page !== "session") return `/${route.page}`;
  const { sessionId, runId, seq, view, panel, path, line, at } = route;
  const run = runId === undefined ? "" : `/r/${encodeURIComponent(runId)}`;
  const wanted = { seq: run && seq, view, panel, path, line, at, with: route.with };
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(wanted)) {
    const usual = value === undefined || value === "" || (name === "view" && value === "chat");
    if (!usual) query.set(name, String(value));
  }
  const asked = query.size > 0 ? `?${query.toString()}` : "";
  return `/s/${encodeURIComponent(sessionId)}${run}${asked}`;
}

/** `replace`: no new history entry. */
export function navigate(route: Route, { replace = false } = {}): void {
  const path = pathOf(route);
  if (path === address()) return;
  const target = inFragment ? `#${path}` : path;
  if (replace) history.replaceState(null, "", target);
  else history.pushState(null, "", target);
  notify();
}

/** Changes the address of the open session; does nothing elsewhere. */
export function adjust(change: Partial<Omit<SessionRoute, "page" | "sessionId">>): void {
  const route = routeOf(address());
  if (route.page === "session") navigate({ ...route, ...change }, { replace: true });
}

export function useRoute(): Route {
  return useSyncExternalStore(subscribe, currentRoute);
}

let current: { readonly address: string; readonly route: Route } | null = null;

/** Parsed once per address, because every item reads it. */
function currentRoute(): Route {
  const now = address();
  if (current?.address !== now) current = { address: now, route: routeOf(now) };
  return current.route;
}

function address(): string {
  if (inFragment) return location.hash.slice(1) || "/";
  return `${location.pathname}${location.search}`;
}

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) window.addEventListener("popstate", notify);
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) window.removeEventListener("popstate", notify);
  };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return ""; // a malformed escape names nothing
  }
}

function whole(query: URLSearchParams, name: string): Record<string, number> {
  const value = query.get(name) ?? "";
  return /^\d{1,15}$/.test(value) ? { [name]: Number(value) } : {};
}

function text(query: URLSearchParams, name: string): Record<string, string> {
  const value = query.get(name);
  return value ? { [name]: value } : {};
}

function oneOf<Name extends string>(query: URLSearchParams, name: string, names: readonly Name[]) {
  const value = names.find((known) => known === query.get(name));
  return value ? { [name]: value } : {};
}
