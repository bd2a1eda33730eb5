// Words that were stored piece by piece. A secret may lie across two pieces, so each text is looked at as a whole:
// where that takes out more than looking at each piece, all of it stands in its first piece, and the others are empty.
import type { Redact } from "../../../kernel/redact/draft.ts";
import type { EventType, PayloadOf, RunEvent } from "../../../kernel/events/events.ts";
import { own } from "../../../kernel/events/own.ts";

type Piece = { readonly of: string; readonly text: string };
type Pieces = { readonly [Type in EventType]?: (payload: PayloadOf<Type>) => Piece };
type Ends = { readonly [Type in EventType]?: (payload: PayloadOf<Type>) => readonly string[] };

const PIECES: Pieces = {
  "token.delta": ({ message_id, delta }) => ({ of: `t ${message_id}`, text: delta }),
  "reasoning.delta": ({ reasoning_id, delta }) => ({ of: `r ${reasoning_id}`, text: delta }),
  "tool.updated": ({ call_id, channel, delta }) => ({ of: `${channel} ${call_id}`, text: delta }),
  "process.output": ({ process_id, text }) => ({ of: `p ${process_id}`, text }),
};
const FIELD: { readonly [Type in EventType]?: "delta" | "text" } = {
  "token.delta": "delta",
  "reasoning.delta": "delta",
  "tool.updated": "delta",
  "process.output": "text",
};
const ENDS: Ends = {
  "message.completed": ({ message_id }) => [`t ${message_id}`],
  "reasoning.done": ({ reasoning_id }) => [`r ${reasoning_id}`],
  "tool.done": ({ call_id }) =>
    ["stdout", "stderr", "progress"].map((name) => `${name} ${call_id}`),
  "process.exited": ({ process_id }) => [`p ${process_id}`],
};
const MAX_CHARS = 524_288; // an event is bounded; what does not fit into one is left out
const LEFT_OUT = "[left out: it had a secret in it]";

export type StreamedText = {
  /** The first time all events are gone through. */
  readonly look: (event: RunEvent) => void;
  readonly lookedAtAll: () => void;
  /** For going through them again. */
  readonly replacing: () => Replace;
  /** Whether that changes anything. */
  readonly replaces: () => boolean;
};
/** The same event where nothing lies across pieces. */
export type Replace = <Event extends RunEvent>(event: Event) => Event;

export function streamedText(clean: Redact): StreamedText {
  const open = new Map<string, string[]>();
  const replaced = new Map<string, string>();
  const close = (key: string) => {
    const pieces = open.get(key);
    open.delete(key);
    if (!pieces || pieces.length < 2) return;
    const whole = clean(pieces.join(""));
    if (whole === pieces.map(clean).join("")) return;
    replaced.set(key, whole.length <= MAX_CHARS ? whole : LEFT_OUT);
  };
  return {
    look(event) {
      const { run_id } = event;
      const piece = pieceOf(event);
      if (piece) {
        const key = `${run_id} ${piece.of}`;
        const pieces = open.get(key) ?? [];
        pieces.push(piece.text);
        open.set(key, pieces);
      }
      const ends = own(ENDS, event.type) as ((payload: unknown) => readonly string[]) | undefined;
      for (const name of ends?.(event.payload) ?? []) close(`${run_id} ${name}`);
    },
    lookedAtAll: () => [...open.keys()].forEach(close),
    replaces: () => replaced.size > 0,
    replacing: () => replacingWith(replaced),
  };
}

function replacingWith(replaced: ReadonlyMap<string, string>): Replace {
  const emitted = new Set<string>();
  return (event) => {
    const piece = replaced.size > 0 ? pieceOf(event) : undefined;
    const key = piece && `${event.run_id} ${piece.of}`;
    const whole = key === undefined ? undefined : replaced.get(key);
    const field = own(FIELD, event.type);
    if (key === undefined || whole === undefined || field === undefined) return event;
    const text = emitted.has(key) ? "" : whole;
    emitted.add(key);
    return { ...event, payload: { ...event.payload, [field]: text } };
  };
}

function pieceOf(event: RunEvent): Piece | undefined {
  const read = own(PIECES, event.type) as ((payload: unknown) => Piece) | undefined;
  return read?.(event.payload);
}
