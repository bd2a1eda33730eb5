// The routes of what needs a person.
import { get, type ApiRoute } from "../api-route.ts";

export const INBOX_ROUTES: readonly ApiRoute[] = [
  get("/api/inbox", {
    id: "getInbox",
    tag: "inbox",
    summary: "What waits for a person, and what ended badly.",
    answer: { data: "InboxView" },
  }),
  get("/api/requests/{requestId}", {
    id: "getRequest",
    tag: "inbox",
    summary: "One approval, question or unknown outcome, answered or not.",
    answer: { data: "RequestView" },
    errors: ["request_not_found", "run_quarantined"],
  }),
];
