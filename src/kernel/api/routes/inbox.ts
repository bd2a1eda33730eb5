// The endpoints of the inbox.
import { InboxView, RequestView } from "../records/inbox.ts";
import { ClientKey } from "../../events/ids.ts";
import { get, REQUEST_ID } from "../endpoint.ts";

export const inboxApi = {
  getInbox: get("/api/inbox", {
    tag: "inbox",
    summary: "What waits for a person, and what ended badly.",
    response: InboxView,
  }),
  getRequest: get("/api/requests/{requestId}", {
    params: { requestId: ClientKey.describe(REQUEST_ID) },
    tag: "inbox",
    summary: "One approval, question or unknown outcome, answered or not.",
    response: RequestView,
    errors: ["request_not_found", "run_quarantined"],
  }),
};
