// Leaves out what rules forbid in a folder that may be searched. This happens before anything is counted: a count
// that depends on a file's content reveals it.
import { join } from "node:path";
import { isRecord } from "../host/frames.ts";
import { list, plainText, record } from "../host/call-input.ts";
import { pathRestricted } from "./path-patterns.ts";
import { ToolError } from "../host/tool-error.ts";

const MAX_PATTERNS = 10_000;

/** As runner/tools/outside.ts sends it: `root` is how the runner spells what this host calls ".". */
export type LeftOut = {
  readonly root: string;
  readonly workspace: string;
  readonly patterns: readonly string[];
};

/** Of a path relative to this host's root. */
export function leftOut(fields: Record<string, unknown>): (path: string) => boolean {
  if (fields["left_out"] === undefined) return () => false;
  if (!isRecord(fields["left_out"])) throw new ToolError("invalid_request", "left_out: an object");
  const given = record(fields["left_out"]);
  const [root, workspace] = [plainText(given, "root"), plainText(given, "workspace")];
  const rules = list(given, "patterns", MAX_PATTERNS).map((pattern) => ({
    pattern: String(pattern),
    workspace,
  }));
  return (path) => rules.some((rule) => pathRestricted(rule, join(root, path)));
}

/** For one file: links may lead to what a rule forbids under its own name. */
export function refuseLeftOut(fields: Record<string, unknown>): (path: string) => void {
  const isLeftOut = leftOut(fields);
  return (path) => {
    if (!isLeftOut(path)) return;
    throw new ToolError(
      "protected",
      `It leads to ${path}, about which there is a rule: name it so`,
    );
  };
}
