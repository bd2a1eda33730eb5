// The hash that an approval is bound to. The same plan has the same hash, whatever the order of its keys.
import { hash } from "node:crypto";
import type { Plan } from "../../events/catalogue/tools.ts";

export function planHash(plan: Plan): string {
  return hash("sha256", canonical(plan));
}

/** JSON with sorted keys and without undefined values. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value) ?? "null";
  const entries = Object.entries(value)
    .filter(([, part]) => part !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, part]) => `${JSON.stringify(key)}:${canonical(part)}`);
  return `{${entries.join(",")}}`;
}
