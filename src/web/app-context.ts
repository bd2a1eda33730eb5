// What every component may use. Created once per login by the workbench.
import { createContext, useContext, useMemo } from "react";
import type { Api } from "../kernel/client/api.ts";
import type { SessionList } from "../kernel/client/sessions/list.ts";
import type { Outbox } from "../kernel/client/outbox/outbox.ts";
import type { ServerStatus, SessionRecord } from "../kernel/client/records.ts";
import type { SessionCache } from "../kernel/client/sessions/cache.ts";
import type { StorageAway } from "./storage-away.ts";

export type AppContextValue = {
  readonly api: Api;
  readonly outbox: Outbox;
  readonly status: ServerStatus | null; // null until the server has said
  /** Changes only when a visible field changes; `board` has every update. */
  readonly sessions: readonly SessionRecord[] | null;
  readonly board: SessionList;
  /** Open sessions and recently open ones. */
  readonly stores: SessionCache;
  readonly storage: StorageAway;
  /** The list updates itself; this checks that the connection is alive. */
  readonly refreshSessions: () => void;
  readonly openDrawer: () => void;
  readonly loggedOut: () => void;
};

export const AppContext = createContext<AppContextValue | null>(null);

export function useApp(): AppContextValue {
  const app = useContext(AppContext);
  if (!app) throw new Error("useApp needs an AppContext provider");
  return app;
}

/** The calls of one feature: `create` makes them from the api's. */
export function useCalls<Calls>(create: (calls: Api["calls"]) => Calls): Calls {
  const { api } = useApp();
  return useMemo(() => create(api.calls), [create, api]);
}
