// What a person allowed beforehand. A rule matches what a plan does (its parsed argv, its paths, its
// host), never the beginning of a string; of all that match, deny wins over ask, and ask over allow.
import { z } from "zod";

export const Rule = z.strictObject({
  effect: z.enum(["allow", "ask", "deny"]),
  tool: z.string().min(1).max(200), // a tool's name, or "*"
  argv: z.array(z.string().max(4_096)).min(1).max(64).optional(), // the beginning of a parsed command
  path: z.string().min(1).max(4_096).optional(), // a glob, relative to the workspace or absolute
  host: z.string().min(1).max(255).optional(), // exact, or "*.example.org"
  network: z.boolean().optional(), // covers a command that asks for the network
  schema: z.string().max(128).optional(), // a foreign tool exactly as it was described then
});
export type Rule = z.infer<typeof Rule>;
