// What the rows of the run contract have in common: one line for "this field is there and is of that kind".
import assert from "node:assert/strict";
import type { Fields } from "./record.ts";
import type { RunsRow, RunsWorld } from "./world.ts";

export type Kind = "text" | "number" | "flag" | "list" | "object" | "nothing";

export function kindOf(value: unknown): Kind | "missing" {
  if (value === undefined) return "missing";
  if (value === null) return "nothing";
  if (Array.isArray(value)) return "list";
  if (typeof value === "string") return "text";
  if (typeof value === "boolean") return "flag";
  return typeof value === "number" ? "number" : "object";
}

/** Every field is there, and is of one of the kinds named ("text", "text|nothing"). */
export function has(value: Fields | undefined, kinds: Readonly<Record<string, string>>): void {
  assert.ok(value, "there is one to look at");
  for (const [name, wanted] of Object.entries(kinds)) {
    const kind = kindOf(value[name]);
    assert.ok(wanted.split("|").includes(kind), `${name} is ${kind}, wanted ${wanted}`);
  }
}

export function only(values: readonly Fields[]): Fields {
  assert.equal(values.length, 1, JSON.stringify(values).slice(0, 400));
  return values[0] as Fields;
}

export function row(
  number: number,
  says: string,
  check: (world: RunsWorld) => void | Promise<void>,
  difference?: string,
): RunsRow {
  return { id: `R${number}`, says, check, ...(difference !== undefined && { difference }) };
}

/** A field that is an object; none when it is missing or something else. */
export function inside(value: Fields | undefined, field: string): Fields {
  const found = value?.[field];
  return typeof found === "object" && found !== null ? (found as Fields) : {};
}
