// What a person allowed beforehand. A rule matches what a plan does (its parsed argv, its paths, its
// host), never the beginning of a string; of all that match, deny wins over ask, and ask over allow.
import { z } from "zod";

export const Rule = z.strictObject({
  effect: z.enum(["allow", "ask", "deny"]),
  tool: z.string().min(1).max(200), // a tool's name, or "*"
  command: z.string().min(1).max(4_096).optional(), // exactly this command line
  argv: z.array(z.string().max(4_096)).min(1).max(64).optional(), // a pattern: the beginning of a parsed command
  cwd: z.string().min(1).max(4_096).optional(), // a glob: where a command runs; absent: the workspace itself
  files: z.record(z.string(), z.string()).optional(), // what a command executes, by content
  path: z.string().min(1).max(4_096).optional(), // a glob, relative to the workspace or absolute
  host: z.string().min(1).max(255).optional(), // exact, or "*.example.org"
  network: z.boolean().optional(), // covers a command that asks for the network
  protected: z.boolean().optional(), // covers a command that asks to change protected files
  schema: z.string().max(128).optional(), // a foreign tool exactly as it was described then
});
export type Rule = z.infer<typeof Rule>;

/** A rule that allows more than was asked for, and what that is, for a person to choose. */
export const WiderRule = z.object({ rule: Rule, also: z.string() });
export type WiderRule = z.infer<typeof WiderRule>;
