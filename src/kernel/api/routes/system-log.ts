// The routes of what belongs to no session.
import { get, type ApiRoute } from "../api-route.ts";

export const SYSTEM_ROUTES: readonly ApiRoute[] = [
  get("/api/audit", {
    id: "getAudit",
    tag: "house",
    summary: "Who logged in, answered, changed or exported what; newest first.",
    answer: { data: "AuditView" },
    query: ["types", "by", "since", "upto", "before", "limit"],
    errors: ["invalid_request", "run_quarantined"],
  }),
  get("/api/logs", {
    id: "getLogs",
    tag: "house",
    summary: "What the processes of this machine said: the last lines, or what follows a place.",
    answer: { data: "LogsView" },
    query: ["kind", "level", "after", "limit", "follow"],
    errors: ["invalid_request"],
  }),
];
