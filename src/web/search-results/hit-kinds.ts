// Labels and icons for kinds of search results.
import type { HitKind, SearchHit } from "../../kernel/api/records/search.ts";
import type { IconName } from "../ui/icon.tsx";

export const KINDS: readonly HitKind[] = ["message", "tool", "file", "error"];

export const KIND_ICONS: Readonly<Record<HitKind, IconName>> = {
  message: "thought",
  tool: "tool",
  file: "file",
  error: "alert",
};
export const KIND_LABELS: Readonly<Record<HitKind, string>> = {
  message: "Messages",
  tool: "Tools",
  file: "Files",
  error: "Errors",
};

export function whoSaid({ kind, role, tool }: Pick<SearchHit, "kind" | "role" | "tool">): string {
  if (kind === "message") return role === "user" ? "You" : "";
  return tool ?? "";
}
