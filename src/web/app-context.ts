// What every part of the page may ask for. Made once per login by the workbench.
import { createContext, useContext } from "react";
import type { Api } from "../kernel/client/api.ts";
import type { SessionList } from "../kernel/client/session-list.ts";
import type { Outbox } from "../kernel/client/outbox/outbox.ts";
import type { ServerStatus, SessionRecord } from "../kernel/client/records.ts";
import type { SessionCache } from "../kernel/client/session-cache.ts";
import type { StorageAway } from "./storage-away.ts";

export type AppContextValue = {
  readonly api: Api;
  readonly outbox: Outbox;
  readonly status: ServerStatus | null; // null until the server has said
  /** Changes only when something in it looks different. Every number as it moves: `board`. */
  readonly sessions: readonly SessionRecord[] | null;
  readonly board: SessionList;
  /** Open sessions, and those that were open a moment ago. */
  readonly stores: SessionCache;
  readonly storage: StorageAway;
  /** The list comes by itself; this makes sure that the connection is alive. */
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
