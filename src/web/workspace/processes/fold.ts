// Background commands and their output up to the shown moment. Bounded; omitted output leaves a gap.
import { eventByEvent, type Fold } from "../../../kernel/client/recording.ts";
import type { RunEvent } from "../../../kernel/events/events.ts";

export type ProcessStatus = "running" | "exited" | "lost" | "over";
/** Contiguous output between two byte offsets. */
export type LogPart = { readonly from: number; readonly to: number; readonly text: string };
export type ProcessLog = {
  readonly processId: string;
  readonly runId: string;
  readonly callId: string;
  readonly command: string;
  readonly status: ProcessStatus;
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly bytes: number;
  readonly parts: readonly LogPart[];
};
export type ProcessesState = readonly ProcessLog[];

export const KEPT = 200_000; // characters of one log
const JOINED = 16_384; // longer parts are not copied again for every line

export const processFold: Fold<ProcessesState> = {
  empty: () => [],
  apply: eventByEvent(applyEvent),
};

type Cases = {
  [Type in RunEvent["type"]]?: (
    state: ProcessesState,
    event: Extract<RunEvent, { type: Type }>,
  ) => ProcessesState;
};

const CASES: Cases = {
  "process.started": (state, event) => {
    const { process_id, call_id, command } = event.payload;
    return [...state, started(event, { processId: process_id, callId: call_id, command })];
  },
  "process.output": (state, { payload }) =>
    update(state, payload.process_id, (one) => printed(one, payload)),
  "process.exited": (state, { payload, created_at: at }) =>
    update(state, payload.process_id, (one) => {
      const { exit_code: exitCode, signal } = payload;
      return one.status === "running" ? ended(one, "exited", { exitCode, signal, at }) : one;
    }),
  // Its runner died, and with it every process.
  recovery: (state, event) => endAll(state, event, "lost"),
  done: (state, event) => endAll(state, event, "over"),
};

function applyEvent(state: ProcessesState, event: RunEvent): ProcessesState {
  const apply = CASES[event.type] as
    | ((state: ProcessesState, event: RunEvent) => ProcessesState)
    | undefined;
  return apply?.(state, event) ?? state;
}

type Emitted = Pick<ProcessLog, "processId" | "callId" | "command">;

function started(event: RunEvent, emitted: Emitted): ProcessLog {
  return {
    ...emitted,
    runId: event.run_id,
    status: "running",
    exitCode: null,
    signal: null,
    startedAt: event.created_at,
    endedAt: null,
    bytes: 0,
    parts: [],
  };
}

type Output = { readonly offset: number; readonly text: string; readonly bytes: number };

function printed(one: ProcessLog, { offset, text, bytes }: Output): ProcessLog {
  const last = one.parts.at(-1);
  const joins = last !== undefined && offset <= last.to && last.text.length < JOINED;
  const part = joins
    ? { from: last.from, to: bytes, text: last.text + text }
    : { from: offset, to: bytes, text };
  const parts = joins ? [...one.parts.slice(0, -1), part] : [...one.parts, part];
  return { ...one, bytes, parts: newest(parts) };
}

/** The newest parts that fit. */
function newest(parts: readonly LogPart[]): readonly LogPart[] {
  let room = KEPT;
  let first = parts.length;
  while (first > 0 && room > 0) {
    first -= 1;
    room -= parts[first]?.text.length ?? 0;
  }
  return first === 0 ? parts : parts.slice(first);
}

type End = { exitCode: number | null; signal: string | null; at: number };

function ended(one: ProcessLog, status: ProcessStatus, { exitCode, signal, at }: End): ProcessLog {
  return { ...one, status, exitCode, signal, endedAt: at };
}

function endAll(state: ProcessesState, event: RunEvent, status: "lost" | "over"): ProcessesState {
  const isHere = (one: ProcessLog) => one.runId === event.run_id && one.status === "running";
  if (!state.some(isHere)) return state;
  const end = { exitCode: null, signal: null, at: event.created_at };
  return state.map((one) => (isHere(one) ? ended(one, status, end) : one));
}

function update(
  state: ProcessesState,
  processId: string,
  change: (one: ProcessLog) => ProcessLog,
): ProcessesState {
  return state.map((one) => (one.processId === processId ? change(one) : one));
}
