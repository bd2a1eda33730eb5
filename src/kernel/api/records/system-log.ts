// The audit: events of the system log as the API returns them.
import { z } from "zod";

/** An event of the system log; its payload always has `by`. */
export const HouseEntry = z.object({
  seq: z.int().positive(),
  type: z.string(),
  created_at: z.number().describe("unix seconds"),
  payload: z.record(z.string(), z.json()),
  hash: z.string(),
});
export type HouseEntry = Readonly<z.infer<typeof HouseEntry>>;

export const AuditView = z.object({
  entries: z.array(HouseEntry).describe("newest first"),
  next: z.int().positive().nullable().describe("`before` of the next page; null: there is none"),
  types: z.array(z.string()).describe("everything that can be asked for"),
});
export type AuditView = Readonly<z.infer<typeof AuditView>>;
