// The states of one watched session in a feed, as a table of every state and every event. Pure: the feed carries out
// the effects. A new state or event does not compile until all of its cells are decided.
import type { ApiFailure } from "./api-failure.ts";

export type WatchState = {
  readonly name: WatchName;
  readonly failure: ApiFailure | null; // why it was refused; a refused session that rests keeps it
  readonly confirmedBefore: boolean; // "reconnecting" from then on, not "connecting"
};
type WatchName =
  | "asked" // or about to be; until the server confirms it, what comes belongs to an older watch
  | "following"
  | "delayed" // what came did not fit, not for the first time: asked again after a pause
  | "refused"
  | "resting"; // nobody looks at it

export type WatchEvent =
  | { readonly type: "ask" | "confirm" | "lose" | "delay" | "rest" | "wake" | "close" }
  | { readonly type: "refuse"; readonly failure: ApiFailure };

export type WatchEffect =
  | "ask" // under a new mark, for everything after the follower's cursor
  | "unwatch" // under a new mark: whatever is still on its way is for nobody
  | "retry_later"
  | "emit"; // the follower how its session stands

type Cell = readonly [next: WatchName, ...effects: WatchEffect[]];

export const WATCH_TABLE: Record<WatchName, Record<WatchEvent["type"], Cell>> = {
  asked: {
    ask: ["asked", "ask"],
    confirm: ["following", "emit"],
    lose: ["asked"],
    delay: ["delayed", "retry_later", "emit"],
    refuse: ["refused", "emit"],
    rest: ["resting", "unwatch"],
    wake: ["asked"],
    close: ["asked", "unwatch"],
  },
  following: {
    ask: ["asked", "ask"],
    confirm: ["following", "emit"],
    lose: ["asked"],
    delay: ["delayed", "retry_later", "emit"],
    refuse: ["refused", "emit"],
    rest: ["resting", "unwatch"],
    wake: ["following"],
    close: ["asked", "unwatch"],
  },
  delayed: {
    ask: ["asked", "ask"],
    confirm: ["following", "emit"],
    lose: ["delayed"],
    delay: ["delayed", "retry_later", "emit"],
    refuse: ["refused", "emit"],
    rest: ["resting", "unwatch"],
    wake: ["delayed"],
    close: ["delayed", "unwatch"],
  },
  refused: {
    ask: ["asked", "ask"],
    confirm: ["refused", "emit"],
    lose: ["refused"],
    delay: ["refused", "retry_later", "emit"],
    refuse: ["refused", "emit"],
    rest: ["resting", "unwatch"],
    wake: ["refused"],
    close: ["refused", "unwatch"],
  },
  // Its mark is known to nobody, so no frame is about it.
  resting: {
    ask: ["resting"],
    confirm: ["resting"],
    lose: ["resting"],
    delay: ["resting"],
    refuse: ["resting"],
    rest: ["resting", "unwatch"],
    wake: ["asked", "ask"],
    close: ["resting", "unwatch"],
  },
};

export const NEW_WATCH: WatchState = { name: "asked", failure: null, confirmedBefore: false };

export function nextWatch(
  state: WatchState,
  event: WatchEvent,
): { readonly state: WatchState; readonly effects: readonly WatchEffect[] } {
  const [name, ...effects] = WATCH_TABLE[state.name][event.type];
  const confirmedBefore = state.confirmedBefore || name === "following";
  return { state: { name, failure: failureAfter(state, event, name), confirmedBefore }, effects };
}

function failureAfter(state: WatchState, event: WatchEvent, next: WatchName): ApiFailure | null {
  if (next === "refused") return event.type === "refuse" ? event.failure : state.failure;
  return next === "resting" && event.type !== "ask" ? state.failure : null;
}
