// Runs sessions through every dialect: for the committed outputs, for tests that compare windows with each other, and
// for docs/windows.md.
import { DIALECTS, type AnyDialect } from "../../src/windows/all.ts";
import { encode, type EmitOptions } from "../../src/kernel/dialect/dialect.ts";
import {
  applyEnvelope,
  emptyExecution,
  toExecutionTree,
} from "../../src/windows/daemon/tree/execution-tree.ts";
import {
  applyHudFrame,
  emptyHud,
  hudTree,
  pendingRequests,
} from "../../src/windows/hud/state/hud-state.ts";
import { familyOf, readRecordings, rootRuns, type AnyEvent } from "./session-recordings.ts";

/** What a dialect guarantees beside its table. */
type Promised = {
  /** What one window shows: a session, or a run with its subagents. */
  readonly of: "session" | "run";
  /** In how many frames an event may be emitted. */
  readonly most: (event: AnyEvent) => number;
  /** Where a client resumes, for frames that carry their own cursor. */
  readonly cursor?: (frame: Readonly<Record<string, unknown>>) => number;
};
export type Teller = AnyDialect & Promised;

const ONE = () => 1;
const ANY = () => Number.POSITIVE_INFINITY;
/** A run's last event has a separate frame for the end. */
const TWO_AT_THE_END = ({ terminal }: AnyEvent) => (terminal ? 2 : 1);

type Fields = Readonly<Record<string, unknown>>;
const numbered = (frame: Fields) => Number(frame["sequence_number"]);

const PROMISED: Readonly<Record<string, Promised>> = {
  console: { of: "session", most: ONE },
  hud: { of: "session", most: ANY },
  daemon: { of: "session", most: ONE, cursor: ({ eventId }) => Number(eventId) },
  terminal: { of: "session", most: ONE },
  webui: { of: "run", most: TWO_AT_THE_END },
  "webui-session": { of: "session", most: ONE },
  "v1-runs": { of: "run", most: ONE },
  responses: { of: "run", most: ANY, cursor: numbered },
  "chat-completions": { of: "run", most: ANY },
};

export const TELLERS: readonly Teller[] = DIALECTS.map((dialect) => {
  const promised = PROMISED[dialect.name];
  if (!promised) throw new Error(`say what the dialect ${dialect.name} promises`);
  return { ...dialect, ...promised };
});

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
