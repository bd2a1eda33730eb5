// What goes back to a provider with its own words: its metadata (signatures, item ids, encrypted reasoning), its
// call id, and where in the answer the piece stood. Thinking that returns changed or out of order is refused.
import type { SharedV4ProviderMetadata } from "@ai-sdk/provider";
import { z } from "zod";
import { ModelError, type ProviderData } from "../model.ts";

const MAX_KEPT_CHARS = 256 * 1024;

const Kept = z.object({
  /** Characters of the answer's text before this piece, and its number among reasoning and calls. */
  at: z.int().nonnegative(),
  order: z.int().nonnegative(),
  call_id: z.string().optional(),
  metadata: z.record(z.string(), z.record(z.string(), z.json())).optional(),
});
export type Kept = z.infer<typeof Kept>;
export type Place = Pick<Kept, "at" | "order">;

/** Bounded, because it becomes part of an event. */
export function keep(kept: Kept): ProviderData {
  if (JSON.stringify(kept).length <= MAX_KEPT_CHARS) return kept as ProviderData;
  throw new ModelError("malformed_output", "The model sent a signature over 256 KiB");
}

/** Undefined for what this version did not write: then the piece goes without it. */
export function readKept(data: ProviderData | undefined): Kept | undefined {
  return Kept.safeParse(data).data;
}

export function mergeMetadata(
  into: SharedV4ProviderMetadata | undefined,
  more: SharedV4ProviderMetadata | undefined,
): SharedV4ProviderMetadata | undefined {
  if (more === undefined) return into;
  const merged = { ...into };
  for (const [name, fields] of Object.entries(more)) merged[name] = { ...merged[name], ...fields };
  return merged;
}

/** As well-formed JSON, without what is undefined or null; undefined when nothing is left. */
export function plainMetadata(metadata: SharedV4ProviderMetadata | undefined): Kept["metadata"] {
  const names = Object.entries(metadata ?? {}).map(([name, fields]): [string, object] => [
    name,
    Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null)),
  ]);
  const filled = names.filter(([, fields]) => Object.keys(fields).length > 0);
  if (filled.length === 0) return undefined;
  return JSON.parse(JSON.stringify(Object.fromEntries(filled)), (_key, value: unknown) =>
    typeof value === "string" ? value.toWellFormed() : value,
  ) as Kept["metadata"];
}
