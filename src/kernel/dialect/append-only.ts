// For windows that cannot take text back. A step that was cut begins again as a new attempt, and usually with the same
// words: what such a window has shown already is left out of the new attempt, and the text goes on where it stopped.
// If the new attempt says something else, a mark says once that it starts again. Without this a window shows the
// beginning of an answer twice.
import type { EventOf, EventType, RunEvent } from "../events/events.ts";
import { own } from "../events/own.ts";
import { encode, NOTHING, type Dialect, type EmitOptions, type UnknownEvent } from "./dialect.ts";

export const RESTARTED = "\n\n[The answer was interrupted and starts again:]\n\n";

type Kind = "text" | "reasoning";
type Block = {
  /** What the window calls it: its id in the attempt that it was first seen in. */
  readonly id: string;
  /** What the window has of it, since the last mark. */
  sent: string;
  /** How much of that the present attempt has said again. */
  seen: number;
};
type Step = {
  readonly blocks: Record<Kind, Block[]>;
  /** Blocks of the present attempt, by their own ids. */
  current: Record<Kind, string[]>;
  repeats: boolean;
};
/** By run; a step ends with its message. */
export type Steps = Record<string, Step>;

export type WithSteps = { readonly steps: Steps };

export function appendOnly<State extends object, Frame extends object>(
  dialect: Dialect<State, Frame>,
): Dialect<State & WithSteps, Frame> {
  const emit = (
    event: RunEvent | UnknownEvent,
    state: State & WithSteps,
    emitOptions: EmitOptions,
  ) => {
    const emitted = withoutRepeats(event, state.steps);
    return emitted === undefined ? NOTHING : encode(dialect, emitted, state, emitOptions);
  };
  const entries = Object.keys(dialect.table).map((type) => [type, emit] as const);
  return {
    ...dialect,
    begin: () => ({ ...dialect.begin(), steps: {} }),
    table: Object.fromEntries(entries) as Dialect<State & WithSteps, Frame>["table"],
    unknown: emit,
  };
}

/** The event as a window that cannot take text back is told it; undefined: not at all. */
export function withoutRepeats<Event extends RunEvent | UnknownEvent>(
  event: Event,
  steps: Steps,
): Event | undefined {
  const handler = Object.hasOwn(TABLE, event.type)
    ? (TABLE[event.type as keyof typeof TABLE] as (
        event: unknown,
        steps: Steps,
      ) => Event | undefined)
    : undefined;
  return handler ? handler(event, steps) : event;
}

const TABLE: {
  [Type in EventType]?: (event: EventOf<Type>, steps: Steps) => EventOf<Type> | undefined;
} = {
  "turn.started": (event, steps) => {
    if (own(steps, event.run_id)?.repeats) return undefined; // to the window the cut attempt goes on
    steps[event.run_id] = { blocks: { text: [], reasoning: [] }, current: none(), repeats: false };
    return event;
  },
  "turn.superseded": (event, steps) => {
    const step = own(steps, event.run_id);
    const blocks = step ? [...step.blocks.text, ...step.blocks.reasoning] : [];
    if (!step || blocks.every(({ sent }) => sent === "")) return event;
    for (const block of blocks) block.seen = 0;
    step.current = none();
    step.repeats = true;
    return undefined;
  },
  "token.delta": (event, steps) => {
    const block = blockOf(steps, event, "text", event.payload.message_id);
    const delta = grow(block, event.payload.delta);
    if (delta === undefined) return undefined;
    return { ...event, payload: { ...event.payload, message_id: block.id, delta } };
  },
  "reasoning.delta": (event, steps) => {
    if (event.payload.visibility === "hidden") return event;
    const block = blockOf(steps, event, "reasoning", event.payload.reasoning_id);
    const delta = grow(block, event.payload.delta);
    if (delta === undefined) return undefined;
    return { ...event, payload: { ...event.payload, reasoning_id: block.id, delta } };
  },
  "reasoning.done": (event, steps) => {
    if (event.payload.visibility === "hidden") return event;
    const { id } = blockOf(steps, event, "reasoning", event.payload.reasoning_id);
    return { ...event, payload: { ...event.payload, reasoning_id: id } };
  },
  "message.completed": (event, steps) => {
    const { message_id, text, finish_reason } = event.payload;
    const block = blockOf(steps, event, "text", message_id);
    delete steps[event.run_id];
    // The window has more than the answer came to, and only a mark can tell where the answer begins.
    const isShorter = block.sent.length > text.length && finish_reason !== "cancelled";
    const said = isShorter
      ? { message_id, text: `${RESTARTED.trim()} ${text}`.trim() }
      : { message_id: block.id };
    return { ...event, payload: { ...event.payload, ...said } };
  },
  done: (event, steps) => {
    delete steps[event.run_id];
    return event;
  },
};

const none = (): Step["current"] => ({ text: [], reasoning: [] });

/** The nth block of its kind in any attempt is the nth of the window. */
function blockOf(steps: Steps, { run_id }: RunEvent, kind: Kind, id: string): Block {
  const step = (steps[run_id] ??= {
    blocks: { text: [], reasoning: [] },
    current: none(),
    repeats: false,
  });
  const ids = step.current[kind];
  if (!ids.includes(id)) ids.push(id);
  return (step.blocks[kind][ids.indexOf(id)] ??= { id, sent: "", seen: 0 });
}

/** What of a delta the window does not have yet. */
function grow(block: Block, delta: string): string | undefined {
  const rest = block.sent.slice(block.seen);
  if (rest !== "" && rest.startsWith(delta)) {
    block.seen += delta.length;
    return undefined;
  }
  const goesOn = delta.startsWith(rest);
  const more = goesOn
    ? delta.slice(rest.length)
    : RESTARTED + block.sent.slice(0, block.seen) + delta;
  block.sent = goesOn ? block.sent + more : block.sent.slice(0, block.seen) + delta;
  block.seen = block.sent.length;
  return more;
}
