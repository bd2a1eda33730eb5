// The events of one session in order, and any fold of them at any moment. A past moment is the same fold, stopped
// earlier. Folds share structure, so a kept fold every few hundred events costs little and bounds the work for any
// moment.
import type { RunEvent } from "../events/events.ts";

/** A way to look at a session. `apply` must be pure, unless `copy` says how to keep a state from it. */
export type Fold<State> = {
  readonly empty: (sessionId: string) => State;
  readonly apply: (state: State, events: readonly RunEvent[]) => State;
  readonly copy?: (state: State) => State;
};

/** A definition over one event at a time. */
export function eventByEvent<State>(
  apply: (state: State, event: RunEvent) => State,
): Fold<State>["apply"] {
  return (state, events) => events.reduce(apply, state);
}

export type Recording = {
  readonly sessionId: string;
  /** session_seq of the newest event. */
  readonly length: number;
  readonly at: (sessionSeq: number) => RunEvent | undefined;
  /** Events after the first and up to the second. */
  readonly between: (after: number, to: number) => readonly RunEvent[];
  /** What the definition shows after the first `sessionSeq` events. Forward is cheap, backward nearly so. */
  readonly fold: <State>(definition: Fold<State>, sessionSeq: number) => State;
  /** False for moments before the fold that came ahead of its events, until those are here: nothing is shown of them. */
  readonly has: (sessionSeq: number) => boolean;
  /** Up to where events are still to come; 0: all are here. */
  readonly missing: number;
  /** While events are still to come: settles when none are. */
  readonly whole: () => Promise<void> | undefined;
};

export type WritableRecording = Recording & {
  readonly append: (event: RunEvent) => void;
  /** A fold that came ahead of the events it was made of. Only where nothing is recorded. */
  readonly begin: <State>(definition: Fold<State>, kept: Kept<State>) => void;
  /** One of those events. What is here already stays. */
  readonly fill: (event: RunEvent) => void;
  /** The history was another one. */
  readonly clear: () => void;
  /** The history is that of another recording. */
  readonly replaceWith: (other: Recording) => void;
};

/** A state after so many events. */
export type Kept<State> = { readonly seq: number; readonly state: State };

const EVERY = 256;

export function createRecording(sessionId: string): WritableRecording {
  let events: (RunEvent | undefined)[] = [];
  let folds = new Map<Fold<unknown>, FoldCursor<unknown>>();
  let ahead = NOTHING_AHEAD;
  const recording: WritableRecording = {
    sessionId,
    get length() {
      return events.length;
    },
    at: (sessionSeq) => events[sessionSeq - 1],
    between: (after, to) => events.slice(after, to) as RunEvent[],
    has: (sessionSeq) => ahead.missing === 0 || sessionSeq >= ahead.seq,
    get missing() {
      return ahead.missing === 0 ? 0 : ahead.seq;
    },
    whole: () => (ahead.missing === 0 ? undefined : ahead.filled.promise),
    fold<State>(definition: Fold<State>, sessionSeq: number) {
      const known = folds.get(definition as Fold<unknown>) as FoldCursor<State> | undefined;
      const fold = known ?? createFoldCursor(recording, definition);
      if (!known) folds.set(definition as Fold<unknown>, fold as FoldCursor<unknown>);
      return fold.at(Math.max(0, Math.min(sessionSeq, events.length)));
    },
    append(event) {
      if (event.session_seq !== events.length + 1) {
        throw new Error(`gap in session ${sessionId} after ${events.length}`);
      }
      events.push(event);
    },
    begin<State>(definition: Fold<State>, kept: Kept<State>) {
      if (events.length > 0) throw new Error(`session ${sessionId} has begun`);
      events = Array.from({ length: kept.seq });
      ahead = { seq: kept.seq, missing: kept.seq, filled: Promise.withResolvers() };
      folds.set(
        definition as Fold<unknown>,
        createFoldCursor(recording, definition, kept) as FoldCursor<unknown>,
      );
    },
    fill(event) {
      const index = event.session_seq - 1;
      if (index >= ahead.seq || events[index] !== undefined) return;
      events[index] = event;
      ahead.missing -= 1;
      if (ahead.missing === 0) ahead.filled.resolve();
    },
    clear() {
      events = [];
      folds = new Map();
      ahead.filled.resolve();
      ahead = NOTHING_AHEAD;
    },
    replaceWith({ length, between }) {
      recording.clear();
      events = [...between(0, length)];
    },
  };
  return recording;
}

/** How far the fold goes that came ahead of its events, and how many of those are not here. */
type Ahead = { readonly seq: number; missing: number; filled: PromiseWithResolvers<void> };
const NOTHING_AHEAD: Ahead = { seq: 0, missing: 0, filled: Promise.withResolvers() };

type FoldCursor<State> = { readonly at: (sessionSeq: number) => State };

function createFoldCursor<State>(
  recording: Recording,
  definition: Fold<State>,
  begun?: Kept<State>,
): FoldCursor<State> {
  const keep = definition.copy ?? ((state: State) => state);
  const first: Kept<State> = { seq: 0, state: definition.empty(recording.sessionId) };
  const kept: Kept<State>[] = [{ seq: 0, state: keep(first.state) }];
  let head = begun ?? first; // the furthest anyone has asked for
  let recent: Kept<State> | undefined; // the last past moment: asked for again by every part of the page

  const advance = (from: Kept<State>, to: number): Kept<State> => {
    let { seq, state } = from;
    while (seq < to) {
      const next = Math.min(to, seq - (seq % EVERY) + EVERY);
      state = definition.apply(state, recording.between(seq, next));
      seq = next;
      if (seq === kept.length * EVERY) kept.push({ seq, state: keep(state) });
    }
    return { seq, state };
  };
  return {
    at(sessionSeq) {
      if (sessionSeq === head.seq) return head.state;
      if (sessionSeq > head.seq) {
        if (!recording.has(head.seq)) return first.state;
        head = advance(head, sessionSeq);
        return head.state;
      }
      if (recent?.seq === sessionSeq) return recent.state;
      if (!recording.has(0)) return first.state;
      const place = Math.min(Math.floor(sessionSeq / EVERY), kept.length - 1);
      const { seq, state } = kept[place] as Kept<State>;
      recent = advance({ seq, state: keep(state) }, sessionSeq);
      return recent.state;
    },
  };
}
