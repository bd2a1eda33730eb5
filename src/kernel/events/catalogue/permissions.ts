// What a person allowed beforehand. A rule matches what a plan does (its parsed argv, its paths, its
// host), never the beginning of a string; of all that match, deny wins over ask, and ask over allow.
import { z } from "zod";

const RuleFields = z.strictObject({
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
  trust: z.literal("server").optional(), // every tool of a foreign server, however it describes them
  server: z.string().min(1).max(8_192).optional(), // which one: its command line as a JSON list, or its url
});

export const Rule = RuleFields.refine(trustsAServer, {
  error: 'a rule with "trust" allows a tool "mcp__NAME__*" and has nothing beside it but "server"',
});
export type Rule = z.infer<typeof Rule>;

/** A rule that allows more than was asked for, and what that is, for a person to choose. */
export const WiderRule = z.object({ rule: Rule, also: z.string() });
export type WiderRule = z.infer<typeof WiderRule>;

function trustsAServer(rule: z.infer<typeof RuleFields>): boolean {
  const { effect, tool, trust, server, ...others } = rule;
  if (trust === undefined) return server === undefined;
  return (
    effect === "allow" && serverOfPattern(tool) !== undefined && Object.keys(others).length === 0
  );
}

/** The server whose tools a rule's `tool` names all at once: "fs" of "mcp__fs__*". */
export function serverOfPattern(tool: string): string | undefined {
  return /^mcp__(.+)__\*$/.exec(tool)?.[1];
}
