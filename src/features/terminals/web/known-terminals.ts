// Terminals this browser last saw in a session. Reports those that vanished, because their server ended or
// somebody closed them.
import type { TerminalsView } from "../records.ts";
import { recall, remember } from "../../../web/storage.ts";

export type Vanished = { readonly count: number; readonly why: "server" | "closed" };
type Known = { readonly server: string; readonly ids: readonly string[] };

const keyOf = (sessionId: string) => `quarterdeck.terminals.${sessionId}`;

export function rememberTerminals(sessionId: string, server: string, ids: readonly string[]): void {
  const known: Known = { server, ids };
  remember(keyOf(sessionId), ids.length === 0 ? null : JSON.stringify(known));
}

/** Terminals that were known and are not in this list. */
export function vanishedFrom(sessionId: string, view: TerminalsView): Vanished | null {
  const known = knownOf(recall(keyOf(sessionId)));
  if (!known) return null;
  const there = new Set(view.terminals.map(({ terminal_id }) => terminal_id));
  const count = known.ids.filter((id) => !there.has(id)).length;
  if (count === 0) return null;
  return { count, why: known.server === view.server_id ? "closed" : "server" };
}

function knownOf(text: string | null): Known | null {
  try {
    const value = JSON.parse(text ?? "null") as Partial<Known> | null;
    const fits = typeof value?.server === "string" && Array.isArray(value.ids);
    return fits ? (value as Known) : null;
  } catch {
    return null;
  }
}
