// What processes of this machine said about themselves.
import { z } from "zod";

export const LogLineRecord = z.object({
  at: z.string().describe("ISO time; empty where the line did not say"),
  level: z.enum(["debug", "info", "warn", "error"]),
  kind: z.string(),
  pid: z.int().nonnegative(),
  message: z.string(),
  error: z.string().optional().describe("with its stack"),
  fields: z.record(z.string(), z.json()).optional(),
});
export type LogLineRecord = Readonly<z.infer<typeof LogLineRecord>>;

export const LogsView = z.object({
  kind: z.string(),
  kinds: z.array(z.object({ kind: z.string(), bytes: z.int().nonnegative() })),
  lines: z.array(LogLineRecord).describe("oldest first"),
  next: z.string().describe("`after` of the next page"),
  lost: z.boolean().describe("what came after the given place was rotated away"),
});
export type LogsView = Readonly<z.infer<typeof LogsView>>;
