// The calls for the audit.
import type { AuditView } from "../../api/records/system-log.ts";
import type { Calls } from "../api.ts";

export type AuditQuery = { readonly types?: string; readonly before?: number };

export function auditCalls({ get }: Pick<Calls, "get">) {
  return {
    audit: ({ types, before }: AuditQuery, signal?: AbortSignal) => {
      const query = new URLSearchParams();
      if (types) query.set("types", types);
      if (before !== undefined) query.set("before", String(before));
      return get<AuditView>(`/api/audit?${query.toString()}`, signal);
    },
  };
}
