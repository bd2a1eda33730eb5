// Takes out of an event what a policy leaves out. An event of which nothing was taken stays the same object, so that
// its stored bytes, and with them its hash, can be told as they are.
import { redactDraft, type Redact } from "../../../kernel/redact/draft.ts";
import { factsOf, type Draft, type RunEvent } from "../../../kernel/events/events.ts";
import type { EventFacts } from "../../../kernel/events/event.ts";
import type { SharePart } from "../../../kernel/events/share-policy.ts";

const empty = () => ({}) as never;
/** Of an extension, or of a newer build: nobody knows which part its fields belong to. */
const UNKNOWN: Pick<EventFacts<never>, "share"> = {
  share: { "tool-output": empty, thinking: empty, environment: empty },
};

export type Taking = { readonly without: readonly SharePart[]; readonly clean: Redact };

/** Without the parts that are named. What is left out is no longer looked at, nor counted. */
export function leftOut<Event extends RunEvent>(
  event: Event,
  without: readonly SharePart[],
): Event {
  const { payload: stored } = event as { payload: unknown };
  let payload = stored;
  for (const part of without) {
    const facts = factsOf(event.type) ?? UNKNOWN;
    const changed = facts.share === "all" ? undefined : facts.share[part]?.(payload as never);
    if (changed !== undefined && JSON.stringify(changed) !== JSON.stringify(payload)) {
      payload = changed;
    }
  }
  return payload === stored ? event : ({ ...event, payload } as Event);
}

export function cleaned<Event extends RunEvent>(event: Event, clean: Redact): Event {
  const { payload } = redactDraft({ type: event.type, payload: event.payload } as Draft, clean);
  return payload === event.payload ? event : ({ ...event, payload } as Event);
}

/** A path below somebody's home as `~/x`: whose machine it was is in nearly every path. */
const UNIX = String.raw`(?:\\?/|%2[Ff])`; // JSON may have it as \/, an address as %2F
const WINDOWS = String.raw`\\{1,2}`;
const NAME = String.raw`[^/\s"'${"`"}:;,()<>|\\%]+`;
const HOME = new RegExp(
  [
    `${UNIX}(?:home|Users)${UNIX}${NAME}`,
    `[A-Za-z]:${WINDOWS}[Uu]sers${WINDOWS}${NAME}`,
    String.raw`/root(?![\w.-])`,
  ].join("|"),
  "g",
);

export function withoutHomes(text: string): string {
  return text.replaceAll(HOME, "~");
}
