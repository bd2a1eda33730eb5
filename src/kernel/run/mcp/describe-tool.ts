// A foreign tool as we show and pin it. What a server says about itself is text for people and models:
// nothing here, its claims to be harmless least of all, changes what is asked before a call.
import { hash } from "node:crypto";
import type { Tool as Listed } from "@modelcontextprotocol/client";
import { canonical } from "../../journal/admit/plan-hash.ts";

const MAX_SCHEMA = 65_536;
const MAX_DEPTH = 20;
const MAX_DESCRIPTION = 4_096;
const MAX_NAME = 64;

export type ForeignTool = {
  /** As the server calls it. */
  readonly original: string;
  /** As the model calls it. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: Listed["inputSchema"];
  readonly schemaHash: string;
};
export type Refused = { readonly original: string; readonly problem: string };

export function describeTool(server: string, listed: Listed): ForeignTool | Refused {
  const { name: original, description = "", inputSchema } = listed;
  const problem = schemaProblem(inputSchema);
  if (problem !== undefined) return { original: shown(original, 100), problem };
  const claims = claimsOf(listed);
  const says = claims === "" ? "" : ` It says of itself: ${claims}.`;
  return {
    original,
    name: toolName(server, original),
    title:
      shown(listed.title ?? listed.annotations?.title ?? original, 100) +
      (claims && ` (says: ${claims})`),
    description: `From the MCP server “${server}”.${says}\n${description}`
      .slice(0, MAX_DESCRIPTION)
      .toWellFormed(),
    inputSchema,
    schemaHash: hash("sha256", canonical({ server, name: original, description, inputSchema })),
  };
}

/** Only letters that every provider takes. What had to change gets a mark of what it was. */
export function toolName(server: string, tool: string): string {
  const wanted = `mcp__${server}__${tool}`;
  const plain = wanted.replaceAll(/[^A-Za-z0-9_-]/g, "_");
  if (plain.length <= MAX_NAME) return plain;
  return `${plain.slice(0, MAX_NAME - 9)}_${hash("sha256", wanted).slice(0, 8)}`;
}

function schemaProblem(schema: unknown): string | undefined {
  if (depthBeyond(schema, MAX_DEPTH)) return `Its schema is nested deeper than ${MAX_DEPTH}.`;
  if (JSON.stringify(schema).length > MAX_SCHEMA) return "Its schema is too large.";
  return undefined;
}

export function depthBeyond(value: unknown, limit: number): boolean {
  if (value === null || typeof value !== "object") return false;
  return limit === 0 || Object.values(value).some((part) => depthBeyond(part, limit - 1));
}

function claimsOf({ annotations = {} }: Listed): string {
  const claims: [boolean | undefined, string][] = [
    [annotations.readOnlyHint, "read-only"],
    [annotations.destructiveHint, "destructive"],
    [annotations.idempotentHint, "idempotent"],
    [annotations.openWorldHint, "reaches outside"],
  ];
  return claims.flatMap(([claimed, word]) => (claimed === true ? [word] : [])).join(", ");
}

function shown(text: string, limit: number): string {
  return text.replaceAll(/\s+/g, " ").slice(0, limit).toWellFormed();
}
