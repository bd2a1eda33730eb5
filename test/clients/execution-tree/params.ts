// Fields of a frame that nobody checked, as the kind a handler needs. Also how its cases look.
import type { TreeDraft } from "./store.ts";

export type Params = Readonly<Record<string, unknown>>;
/** `at`: when the event was received, in unix milliseconds. */
export type Case = (params: Params, draft: TreeDraft, at: number) => void;

export function textIn(params: Params, name: string): string {
  const value = params[name];
  return typeof value === "string" ? value : "";
}

export function numberIn(params: Params, name: string): number {
  const value = params[name];
  return typeof value === "number" ? value : 0;
}

/** Only the fields that are there: an absent one is not the same as an empty one. */
export function given(params: Params, ...names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    names.filter((name) => params[name] !== undefined).map((name) => [name, params[name]]),
  );
}

/** A time that is not one is left out, never guessed. */
export function timeIn(params: Params, name: string): number | undefined {
  const time = Date.parse(textIn(params, name));
  return Number.isNaN(time) ? undefined : time;
}
