// What the daemon window answers, for docs/windows.md.
import type { DialectRoute } from "../../../kernel/dialect/dialect.ts";

export const DAEMON_ROUTES: readonly DialectRoute[] = [
  {
    method: "WS",
    path: "/api/daemon/ws",
    summary:
      "Every session's events as they happen; sessions.list, snapshot.request, scheduler.cron.status, permission.response, clarify.response",
  },
  { method: "WS", path: "/ws", summary: "The same, where the daemon's dashboard looks for it" },
];
