// Settings as text fields, and back. Invalid input is reported before it is sent.
import type { SettingRecord } from "../../kernel/api/records/settings.ts";

type Value = SettingRecord["value"];
type Shape = Pick<SettingRecord, "kind">;

export function textOf({ kind }: Shape, value: Value): string {
  if (value === null) return "";
  if (kind === "list" && Array.isArray(value)) {
    return value.map((each) => (typeof each === "string" ? each : JSON.stringify(each))).join("\n");
  }
  if (kind === "table") return JSON.stringify(value, null, 2);
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** An empty field resets to the default. */
export function valueOf(
  { kind }: Shape,
  text: string,
): { readonly value: Value } | { readonly problem: string } {
  const trimmed = text.trim();
  if (trimmed === "") return { value: null };
  if (kind === "number") {
    const value = Number(trimmed);
    return Number.isFinite(value) ? { value } : { problem: "This is not a number." };
  }
  if (kind === "list") {
    const lines = trimmed.split("\n").map((line) => line.trim());
    return { value: lines.filter((line) => line !== "") };
  }
  if (kind === "table") {
    try {
      return { value: JSON.parse(trimmed) as Value };
    } catch {
      return { problem: "This is not JSON." };
    }
  }
  return { value: kind === "long text" ? text : trimmed };
}
