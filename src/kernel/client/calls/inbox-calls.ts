// API calls for the inbox.
import type { inboxApi } from "../../api/routes/inbox.ts";
import { callsOf, type Calls } from "../calls.ts";

export function inboxCalls(calls: Calls) {
  const call = callsOf<typeof inboxApi>(calls);
  return {
    inbox: (signal?: AbortSignal) => call("get /api/inbox", {}, signal),
    request: (requestId: string, signal?: AbortSignal) =>
      call("get /api/requests/{requestId}", { params: { requestId } }, signal),
  };
}
