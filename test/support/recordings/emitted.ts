// Runs sessions through every dialect: for the committed outputs, for tests that compare windows with each other, and
// for docs/windows.md.
import { DIALECTS, type AnyDialect } from "../../../src/windows/all.ts";
import { encode, type EmitOptions } from "../../../src/kernel/dialect/dialect.ts";
import {
  applyEnvelope,
  emptyExecution,
  toExecutionTree,
} from "../../clients/execution-tree/execution-tree.ts";
import {
  applyHudFrame,
  emptyHud,
  hudTree,
  pendingRequests,
} from "../../../src/windows/hud/state/hud-state.ts";
import { familyOf, readRecordings, rootRuns, type AnyEvent } from "./session-recordings.ts";

export type Teller = AnyDialect;
export const TELLERS: readonly Teller[] = DIALECTS;

/** In how many frames an event may be emitted. */
export function mostFrames({ frames }: Teller, { terminal }: AnyEvent): number {
  if (frames === "any") return Number.POSITIVE_INFINITY;
  return frames === "one, two at the end" && terminal ? 2 : 1;
}

export type Emitted = { readonly event: AnyEvent; readonly frame: object };

export const LIVE: EmitOptions = { replay: false };
export const REPLAY: EmitOptions = { replay: true };

export function emit(
  teller: Teller,
  events: readonly AnyEvent[],
  {
    emitOptions = LIVE,
    state = teller.begin(),
  }: { emitOptions?: EmitOptions; state?: unknown } = {},
): Emitted[] {
  return events.flatMap((event) =>
    encode(teller, event, state, emitOptions).map((frame) => ({ event, frame })),
  );
}

/** The windows of a dialect that can be opened on a session: one, or one on each of its runs. */
export function windowsOn({ of }: Teller, events: readonly AnyEvent[]): (readonly AnyEvent[])[] {
  return of === "session" ? [events] : rootRuns(events).map((runId) => familyOf(events, runId));
}

/** The state of a client that folds a dialect's frames. */
export const REDUCERS = {
  "hud-state": {
    of: "hud",
    room: "windows/hud",
    fold: (frames: readonly object[]) => {
      const state = frames.reduce(applyHudFrame, emptyHud());
      return { tree: hudTree(state), pending: pendingRequests(state) };
    },
  },
  "execution-tree": {
    of: "daemon",
    room: "windows/daemon",
    fold: (frames: readonly object[]) => {
      const { sessionId = "" } = (frames[0] ?? {}) as { sessionId?: string };
      return toExecutionTree(frames.reduce(applyEnvelope, emptyExecution(sessionId)));
    },
  },
} as const;

const lineOf = ({ event: { session_seq }, frame }: Emitted) =>
  `${session_seq} ${JSON.stringify(frame)}\n`;

/** File names and texts: one line per frame, after the position of its event. */
export function* goldenFiles(): Generator<[file: string, text: string]> {
  for (const { name, events } of readRecordings()) {
    for (const teller of TELLERS) {
      const frames = windowsOn(teller, events).flatMap((shown) => emit(teller, shown));
      yield [`${name}.${teller.name}.jsonl`, frames.map(lineOf).join("")];
      for (const [reducer, { of, fold }] of Object.entries(REDUCERS)) {
        if (of !== teller.name) continue;
        const state = fold(frames.map(({ frame }) => frame));
        yield [`${name}.${reducer}.json`, `${JSON.stringify(state, null, 1)}\n`];
      }
    }
  }
}
