// API calls for the audit.
import type { auditApi } from "../../api/routes/audit.ts";
import { callsOf, type Calls } from "../calls.ts";

export type AuditQuery = { readonly types?: string; readonly before?: number };

export function auditCalls(calls: Calls) {
  const call = callsOf<typeof auditApi>(calls);
  return {
    audit: ({ types, before }: AuditQuery, signal?: AbortSignal) =>
      call("get /api/audit", { query: { types: types || undefined, before } }, signal),
  };
}
