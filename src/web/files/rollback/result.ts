// The result of a rollback or preview, read from a tool result in which every field is optional.
import type { ToolItem } from "../../../kernel/state/run/items.ts";

export type RollbackResult = {
  readonly restored: readonly string[];
  readonly removed: readonly string[];
  readonly conflicts: readonly { readonly path: string; readonly reason: string }[];
  readonly truncated: boolean;
};

export function rollbackResult({ result }: ToolItem): RollbackResult | null {
  if (typeof result !== "object" || result === null) return null;
  const { restored, removed, conflicts, truncated } = result as Record<string, unknown>;
  if (!Array.isArray(restored) || !Array.isArray(removed)) return null;
  return {
    restored: restored.map(textOf),
    removed: removed.map(textOf),
    conflicts: Array.isArray(conflicts) ? conflicts.map(conflictOf) : [],
    truncated: truncated === true,
  };
}

function conflictOf(value: unknown): RollbackResult["conflicts"][number] {
  const { path, reason } = (value ?? {}) as Record<string, unknown>;
  return { path: textOf(path), reason: textOf(reason) };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

export function isPreview({ plan }: ToolItem): boolean {
  const given = plan.arguments;
  return (
    typeof given === "object" && given !== null && "preview" in given && given.preview === true
  );
}
