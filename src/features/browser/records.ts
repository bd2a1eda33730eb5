// The browser of agents, as pages and the API see it.
import { z } from "zod";

export const BrowserView = z.object({
  mode: z
    .enum(["start", "connect"])
    .nullable()
    .describe("a browser that runners start, a live one, or none"),
  connected: z.boolean().describe("agents may use a browser"),
  cdp_url: z.string().nullable().describe("the debugging address of a live one"),
  reachable: z.boolean().describe("the live one answers now; one to start can be started here"),
  requirements_ok: z.boolean().describe("nothing is missing on the server's machine"),
  missing: z.array(z.string()).describe("what is missing, and how to get it"),
  notes: z.array(z.string()).describe("what to know before it is used"),
  executable: z.string().nullable().describe("what would be started"),
  version: z.string().nullable().describe("what the live one says it is"),
  active_sessions: z
    .int()
    .nonnegative()
    .describe("sessions with a run under way that has used the browser"),
  since: z.number().nullable(),
  by: z.string().nullable(),
});
export type BrowserView = Readonly<z.infer<typeof BrowserView>>;

export const ConnectBrowser = z.object({
  mode: z.enum(["start", "connect"]).optional().describe("start when there is no address"),
  cdp_url: z.string().min(1).max(500).nullish().describe("of a live Chrome: http://127.0.0.1:9222"),
});
export type ConnectBrowser = Readonly<z.infer<typeof ConnectBrowser>>;
