// The endpoint of the system log, as an audit.
import { z } from "zod";
import { get } from "../endpoint.ts";
import { OLDER } from "../integer-param.ts";
import { AuditView } from "../records/system-log.ts";

const seconds = z
  .string()
  .regex(/^\d{1,12}(\.\d{1,6})?$/, "unix seconds")
  .transform(Number);
export const AuditQuery = z.object({
  types: z
    .string()
    .max(2_000)
    .optional()
    .describe("Only these, separated by commas; `login` means all that begin so."),
  by: z.string().min(1).max(300).optional().describe("Only what they did."),
  since: seconds.optional().describe("Only what happened at or after this time, in unix seconds."),
  upto: seconds.optional().describe("Only what happened before this time, in unix seconds."),
  ...OLDER,
});
export type AuditQuery = z.output<typeof AuditQuery>;

export const auditApi = {
  getAudit: get("/api/audit", {
    tag: "house",
    summary: "Who logged in, answered, changed or exported what; newest first.",
    response: AuditView,
    query: AuditQuery,
    errors: ["invalid_request", "run_quarantined"],
  }),
};
