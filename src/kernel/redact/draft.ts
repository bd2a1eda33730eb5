// Secrets never reach the journal: every string of a draft passes through the redactor before the
// draft is numbered, hashed, stored or projected. A draft without secrets stays the same object.
import type { AnyDraft } from "../events/system-events.ts";

/** Takes secrets out of one string. */
export type Redact = (text: string) => string;

export function redactDraft(draft: AnyDraft, redact: Redact): AnyDraft {
  const payload = redactValue(draft.payload, redact);
  return payload === draft.payload ? draft : ({ ...draft, payload } as AnyDraft);
}

/** String by string, not over the JSON text: there a secret with a quote or a newline is spelled differently. */
export function redactValue(value: unknown, redact: Redact): unknown {
  if (typeof value === "string") return redact(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map((item) => redactValue(item, redact));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  const entries = Object.entries(value);
  const cleaned = entries.map(([key, part]) => [redact(key), redactValue(part, redact)] as const);
  const same = cleaned.every(([key, part], index) => {
    const entry = entries[index];
    return entry !== undefined && entry[0] === key && entry[1] === part;
  });
  return same ? value : Object.fromEntries(cleaned);
}
