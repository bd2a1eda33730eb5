// The calls for what needs a person.
import type { InboxView, RequestView } from "../../api/records/records.ts";
import type { Calls } from "../api.ts";

export function inboxCalls({ get }: Calls) {
  return {
    inbox: (signal?: AbortSignal) => get<InboxView>("/api/inbox", signal),
    request: (requestId: string, signal?: AbortSignal) =>
      get<RequestView>(`/api/requests/${encodeURIComponent(requestId)}`, signal),
  };
}
