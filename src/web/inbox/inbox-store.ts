// The inbox of the whole page: one shared answer, reloaded when the session list changes and periodically.
import { useEffect, useSyncExternalStore } from "react";
import type { Api } from "../../kernel/client/api.ts";
import type { SessionRecord } from "../../kernel/client/records.ts";
import type { InboxView } from "../../kernel/api/records/records.ts";
import { useApp } from "../app-context.ts";

const EVERY_MS = 15_000;

export type InboxState = {
  readonly view: InboxView | null; // null: not known yet
  readonly failed: boolean; // the last ask got no answer: what is shown may be old
};

export type InboxStore = {
  readonly getState: () => InboxState;
  readonly subscribe: (listener: () => void) => () => void;
  readonly refresh: () => void;
};

export function createInbox(api: Pick<Api, "inbox">): InboxStore {
  const listeners = new Set<() => void>();
  let state: InboxState = { view: null, failed: false };
  let asking = false;
  let again = false;
  const settle = (next: InboxState) => {
    state = next;
    asking = false;
    for (const listener of listeners) listener();
    if (!again) return;
    again = false;
    refresh();
  };
  const refresh = () => {
    if (asking) {
      again = true; // it may have been answered before what happened just now
      return;
    }
    asking = true;
    api.inbox().then(
      (view) => settle({ view, failed: false }),
      () => settle({ ...state, failed: true }),
    );
  };
  return {
    getState: () => state,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    refresh,
  };
}

const stores = new WeakMap<object, InboxStore>();

function storeOf(api: Api): InboxStore {
  let store = stores.get(api);
  if (!store) {
    store = createInbox(api);
    stores.set(api, store);
  }
  return store;
}

export function useInbox(): InboxState & { readonly refresh: () => void } {
  const { api } = useApp();
  const store = storeOf(api);
  const state = useSyncExternalStore(store.subscribe, store.getState);
  return { ...state, refresh: store.refresh };
}

/** Also keeps the inbox fresh, because the sidebar is always mounted. */
export function useInboxCount(): number {
  const { sessions } = useApp();
  const { view, refresh } = useInbox();
  const signs = signsOf(sessions ?? []);
  useEffect(refresh, [refresh, signs]);
  useEffect(() => {
    const ask = () => {
      if (document.visibilityState === "visible") refresh();
    };
    const timer = setInterval(ask, EVERY_MS);
    document.addEventListener("visibilitychange", ask);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", ask);
    };
  }, [refresh]);
  return view ? view.requests.length + view.troubles.length : 0;
}

/** The fields of the sessions that can change the inbox, as one string. */
function signsOf(sessions: readonly SessionRecord[]): string {
  return sessions
    .filter(
      ({ pending, last_status }) =>
        pending > 0 || last_status === "failed" || last_status === "expired",
    )
    .map(({ session_id, pending, active_run_id, last_status, seq }) =>
      [session_id, pending, active_run_id, last_status, pending > 0 ? "" : seq].join(),
    )
    .join(" ");
}
