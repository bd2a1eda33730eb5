// The device as a state machine: one input in, the next state and what is to be done out. Nothing here
// waits, writes or reads a clock, so every order of lines, frames, losses and timers can be tried.
import type { ServerFrame } from "./server-frame.ts";

export type Phase =
  | "DISCONNECTED"
  | "CONNECTING"
  | "WAIT_CONNECTED"
  | "READY"
  | "WAIT_ACK"
  | "WAIT_REPLY";

export type Turn = {
  readonly messageId: string;
  readonly text: string;
  /** The request it was typed in answer to; null: none. Left out: whatever waits. */
  readonly answers?: string | null;
};
/** What has to outlive the process: no id is used twice, and no turn is lost. */
export type Memory = { readonly counter: number; readonly inFlight: Turn | null };

export type Machine = Memory & {
  readonly phase: Phase;
  readonly device: Device;
  /** Lines that wait until the turn before them is over. */
  readonly queue: readonly string[];
  readonly recovered: boolean; // what is in flight was typed in another life
  readonly backoffMs: number;
  readonly skip: number; // how far the counter jumps when the server knows an id already
  readonly sends: number; // how often what is in flight was sent in this life
  readonly wasReady: boolean; // since the last notice about the connection
  readonly ending: boolean; // no more lines will come
  readonly warned: boolean; // that a reply is still to come
  readonly failed: boolean; // some turn was
  readonly asked: boolean; // the last reply was a question
  /** What was asked last and nothing was sent since: the next line is for it. */
  readonly question: Question | null;
  readonly lastEmitted: string; // of another turn: servers repeat what waits to every socket
  readonly exited: boolean;
};
export type Question = {
  readonly requestId: string | undefined; // foreign servers name none
  readonly runId: string | undefined;
};
export type Device = {
  readonly peerId: string;
  readonly idPrefix: string; // of message ids: visible ASCII
  readonly deviceName: string;
  readonly awayMs: number | null; // how long a server may be away; null: for ever
  /**
   * What becomes of lines that were there before a question. `back`: a person is told that they were not
   * sent. `stop`: nobody is there to answer. `answer`: they were given for it.
   */
  readonly ahead: "back" | "stop" | "answer";
};

export type TimerName = "retry" | "ping" | "dead" | "away";
export type Input =
  | { readonly type: "start" }
  | { readonly type: "line"; readonly text: string }
  | { readonly type: "end" }
  | { readonly type: "interrupt" }
  | { readonly type: "opened" }
  /** `refused`: coming again does not help. */
  | { readonly type: "closed"; readonly reason: string; readonly refused: boolean }
  | { readonly type: "frame"; readonly frame: ServerFrame }
  | { readonly type: "timer"; readonly name: TimerName };

/** To be done in order, each before the next. */
export type Effect =
  | { readonly type: "open" }
  | { readonly type: "close" }
  | { readonly type: "send"; readonly frame: Readonly<Record<string, unknown>> }
  | { readonly type: "save"; readonly memory: Memory }
  | { readonly type: "timer"; readonly name: TimerName; readonly ms: number | null } // null: not any more
  /** `own`: to a line that was typed here and now. */
  | { readonly type: "reply"; readonly text: string; readonly how: string; readonly own: boolean }
  | { readonly type: "notice"; readonly text: string }
  | { readonly type: "log"; readonly text: string }
  | { readonly type: "exit"; readonly code: number };
export type Step = { readonly state: Machine; readonly effects: readonly Effect[] };

const FIRST_BACKOFF_MS = 1_000;
const LAST_BACKOFF_MS = 30_000;
const PING_MS = 30_000;
const DEAD_MS = 10_000; // without an answer to anything
const NEEDS_INPUT = "needs_input";
/** Twenty tries: more ids than a device uses up. A server that knows every id is not asked for ever. */
const MAX_SKIP = 2 ** 20;
const MAX_SHOWN = 5; // of the lines that were not sent
export const EXIT = { fine: 0, failed: 1, away: 3, asked: 4, interrupted: 130 } as const;

export function newMachine(device: Device, memory: Memory): Machine {
  return {
    ...memory,
    phase: "DISCONNECTED",
    device,
    queue: [],
    recovered: memory.inFlight !== null,
    backoffMs: FIRST_BACKOFF_MS,
    skip: 1,
    sends: 0,
    wasReady: true,
    ending: false,
    warned: false,
    failed: false,
    asked: false,
    question: null,
    lastEmitted: "",
    exited: false,
  };
}

type Handlers = {
  readonly [Type in Input["type"]]: (state: Machine, input: Extract<Input, { type: Type }>) => Step;
};

export function step(state: Machine, input: Input): Step {
  if (state.exited) return still(state);
  return (HANDLERS[input.type] as (state: Machine, input: Input) => Step)(state, input);
}

const HANDLERS: Handlers = {
  start: (state) => {
    const { awayMs } = state.device;
    return then(dial(state), (next) =>
      still(next, ...(awayMs === null ? [] : [timer("away", awayMs)])),
    );
  },
  line: (state, { text }) => proceed({ ...state, queue: [...state.queue, text] }),
  end: (state) => proceed({ ...state, ending: true }),
  interrupt: (state) => {
    if (state.inFlight === null || state.warned) return exit(state, EXIT.interrupted);
    const text = "The reply is still to come. Ctrl+C again leaves; it is shown next time.";
    return still({ ...state, warned: true }, { type: "notice", text });
  },
  opened: (state) => {
    if (state.phase !== "CONNECTING") return still(state);
    const { peerId: peer_id, deviceName: device_name } = state.device;
    const frame = { type: "connect", peer_id, device_name, capabilities: ["text"] };
    const phase = "WAIT_CONNECTED";
    return still({ ...state, phase }, { type: "send", frame }, timer("dead", DEAD_MS));
  },
  closed: (state, { reason, refused }) => {
    if (state.phase === "DISCONNECTED") return still(state);
    if (refused) return exit(state, EXIT.away, { type: "notice", text: reason });
    return lose(state, reason);
  },
  frame: (state, { frame }) => {
    if (state.phase === "DISCONNECTED" || state.phase === "CONNECTING") return still(state);
    const settled = state.phase === "READY" || state.phase === "WAIT_REPLY";
    const alive = settled ? [timer("dead", null)] : []; // otherwise one answer in particular is awaited
    const handle = FRAMES[frame.type] as (state: Machine, frame: ServerFrame) => Step;
    const { state: next, effects } = handle(state, frame);
    return { state: next, effects: [...alive, ...effects] };
  },
  timer: (state, { name }) => TIMERS[name](state),
};

type FrameHandlers = {
  readonly [Type in ServerFrame["type"]]: (
    state: Machine,
    frame: Extract<ServerFrame, { type: Type }>,
  ) => Step;
};

const FRAMES: FrameHandlers = {
  connected: (state, { sessionId }) => {
    if (state.phase !== "WAIT_CONNECTED") return still(state);
    const ready: Machine = {
      ...state,
      phase: "READY",
      backoffMs: FIRST_BACKOFF_MS,
      wasReady: true,
    };
    const again: Effect[] = state.wasReady ? [] : [{ type: "notice", text: "Connected again." }];
    const timers = [timer("dead", null), timer("away", null), timer("ping", PING_MS)];
    const log: Effect = { type: "log", text: `session_id ${sessionId}` };
    return then(still(ready, ...timers, log, ...again), proceed);
  },
  ack: (state, { messageId, duplicate, pending, reply, error, requestId }) => {
    if (state.inFlight?.messageId !== messageId) return still(state);
    const log: Effect = { type: "log", text: `message_id ${messageId} acknowledged` };
    // Nobody here has sent this id before, so it stands for somebody else's words.
    const taken = duplicate && !pending && state.sends === 1 && !state.recovered;
    if (taken && state.skip < MAX_SKIP) return then(still(state, log), renumber);
    if (error !== undefined && (duplicate || !pending)) {
      return then(still(state, log), (next) => finish(next, { text: error, how: "error" }));
    }
    if (reply !== undefined) {
      const how = requestId === undefined ? "stop" : NEEDS_INPUT;
      return then(still(state, log), (next) => finish(next, { text: reply, how, requestId }));
    }
    return still({ ...state, phase: "WAIT_REPLY" }, log, timer("dead", null));
  },
  message: (before, { messageId, runId, text, finishReason: how, requestId }) => {
    const over = how !== NEEDS_INPUT && before.question?.runId === runId;
    const state = over ? { ...before, question: null } : before;
    const about = `message_id ${messageId} run_id ${runId} finish_reason ${how}`;
    const log: Effect = { type: "log", text: about };
    if (state.inFlight?.messageId === messageId) {
      return then(still(state, log), (next) => finish(next, { text, how, runId, requestId }));
    }
    const emitted = `${messageId} ${how} ${text}`;
    const reply: Effect = { type: "reply", text, how, own: false };
    const shown = still(
      { ...state, lastEmitted: emitted },
      log,
      ...(emitted === state.lastEmitted ? [] : [reply]),
    );
    // Servers repeat what waits to every socket, also while the answer to it is on its way.
    const known = [state.question?.requestId, state.inFlight?.answers ?? undefined];
    const repeated = requestId !== undefined && known.includes(requestId);
    if (how !== NEEDS_INPUT || repeated) return shown;
    return then(shown, (next) => holdBack({ ...next, question: { requestId, runId } }));
  },
  error: (state, { error: text, messageId, requestId, unauthorized }) => {
    if (state.phase === "WAIT_CONNECTED" && unauthorized) {
      return exit(state, EXIT.away, { type: "notice", text }); // coming again does not help
    }
    const named = messageId !== undefined && messageId === state.inFlight?.messageId;
    const waits = state.phase === "WAIT_ACK" || state.phase === "WAIT_REPLY";
    const meant = named || (messageId === undefined && waits); // one turn is in flight at a time
    if (!meant || !state.inFlight) return still(state, { type: "notice", text });
    if (requestId === undefined) return finish(state, { text, how: "error" });
    return finish(state, { text, how: NEEDS_INPUT, requestId, refused: true });
  },
  pong: (state) => still(state),
  other: (state, { what }) => still(state, { type: "log", text: `not understood: ${what}` }),
};

const TIMERS: { readonly [Name in TimerName]: (state: Machine) => Step } = {
  retry: (state) => (state.phase === "DISCONNECTED" ? dial(state) : still(state)),
  ping: (state) => {
    if (state.phase === "DISCONNECTED") return still(state);
    const frame = { type: "ping" };
    return still(state, { type: "send", frame }, timer("dead", DEAD_MS), timer("ping", PING_MS));
  },
  dead: (state) => {
    if (state.phase === "DISCONNECTED") return still(state);
    const { state: next, effects } = lose(state, "The server does not answer");
    return { state: next, effects: [{ type: "close" }, ...effects] };
  },
  away: (state) => {
    const again = state.inFlight ? " What was sent is asked about again next time." : "";
    const text = `The server is away.${notSent(state.queue.length)}${again}`;
    return exit(state, EXIT.away, { type: "notice", text });
  },
};

function dial(state: Machine): Step {
  return still({ ...state, phase: "CONNECTING" }, timer("dead", DEAD_MS), { type: "open" });
}

function lose(state: Machine, reason: string): Step {
  const { backoffMs, wasReady, device } = state;
  const connected = state.phase !== "CONNECTING" && state.phase !== "WAIT_CONNECTED";
  const text = `${reason.replace(/\.$/, "")}. Trying again in ${backoffMs / 1_000} s.`;
  const away = connected && device.awayMs !== null ? [timer("away", device.awayMs)] : [];
  return still(
    {
      ...state,
      phase: "DISCONNECTED",
      backoffMs: Math.min(backoffMs * 2, LAST_BACKOFF_MS),
      wasReady: false,
    },
    timer("ping", null),
    timer("dead", null),
    timer("retry", backoffMs),
    ...away,
    { type: wasReady ? "notice" : "log", text },
  );
}

/** Sends what is in flight, or the next line; ends when there is nothing left to do. */
function proceed(state: Machine): Step {
  const { inFlight, queue, ending, phase } = state;
  if (inFlight === null && queue.length === 0) {
    if (!ending) return still(state);
    return exit(state, state.failed ? EXIT.failed : state.asked ? EXIT.asked : EXIT.fine);
  }
  if (phase !== "READY") return still(state);
  if (inFlight !== null) return sent(state, inFlight);
  if (state.question && state.device.ahead === "stop") return stop(state);
  const [text = "", ...rest] = queue;
  const line = { text, ...meantFor(state) };
  return take({ ...state, queue: rest, skip: 1, question: null }, line, state.counter + 1);
}

/** Lines that come before a question are held back, so what is sent now was typed in its sight. */
function meantFor({ device, question }: Machine): Pick<Turn, "answers"> {
  if (device.ahead === "answer") return {};
  if (question === null) return { answers: null };
  return question.requestId === undefined ? {} : { answers: question.requestId };
}

/** A new id is on disk before it is on the wire. */
function take(state: Machine, line: Omit<Turn, "messageId">, counter: number): Step {
  const messageId = `${state.device.idPrefix}-${String(counter).padStart(6, "0")}`;
  const inFlight = { messageId, ...line };
  const memory: Memory = { counter, inFlight };
  const saved = still({ ...state, ...memory, sends: 0 }, { type: "save", memory });
  return then(saved, (next) => sent(next, inFlight));
}

function sent(state: Machine, { messageId: message_id, ...line }: Turn): Step {
  const frame = { type: "message", message_id, ...line };
  const next: Machine = { ...state, phase: "WAIT_ACK", sends: state.sends + 1 };
  return still(next, { type: "send", frame }, timer("dead", DEAD_MS));
}

/** The id was used before, by a device that has lost its counter: nothing was taken under it. */
function renumber(state: Machine): Step {
  const { inFlight, counter, skip } = state;
  if (inFlight === null) return still(state);
  const { messageId: _used, ...line } = inFlight;
  return take({ ...state, skip: skip * 2 }, line, counter + skip);
}

type Ending = {
  readonly text: string;
  readonly how: string;
  readonly runId?: string;
  readonly requestId?: string | undefined;
  readonly refused?: boolean; // the line was not taken
};

function finish(state: Machine, { text, how, runId, requestId, refused = false }: Ending): Step {
  const { counter, recovered } = state;
  const asked = how === NEEDS_INPUT;
  const failed = how === "error" || how === "cancelled";
  const next: Machine = {
    ...state,
    phase: "READY",
    inFlight: null,
    recovered: false,
    warned: false,
    failed: state.failed || (failed && !recovered),
    asked,
    question: asked ? { requestId, runId } : state.question,
  };
  const reply: Effect = { type: "reply", text, how, own: !recovered };
  const save: Effect = { type: "save", memory: { counter, inFlight: null } };
  const finished = still(next, reply, save, timer("dead", null));
  if (!asked) return then(finished, proceed);
  if (next.device.ahead === "stop") return then(finished, (last) => stop(last, refused ? 1 : 0));
  return then(then(finished, holdBack), proceed);
}

/** What was typed before a question is not an answer to it: the person sees it again, unsent. */
function holdBack(state: Machine): Step {
  const { queue, device } = state;
  if (device.ahead !== "back" || queue.length === 0) return still(state);
  const more = queue.length - MAX_SHOWN;
  const shown = [...queue.slice(0, MAX_SHOWN), ...(more > 0 ? [`… and ${more} more`] : [])];
  const text = ["Not sent, as typed before the question:", ...shown].join("\n  ");
  return still({ ...state, queue: [] }, { type: "notice", text });
}

/** Nobody is there to answer, and lines that were not written as answers are none. */
function stop(state: Machine, refused = 0): Step {
  const lines = notSent(state.queue.length + refused);
  const text = `An answer is needed.${lines} With --answers, lines are answers.`;
  return exit(state, EXIT.asked, { type: "notice", text });
}

function notSent(lines: number): string {
  return lines === 0 ? "" : ` ${lines} line${lines === 1 ? " was" : "s were"} not sent.`;
}

function exit(state: Machine, code: number, ...before: readonly Effect[]): Step {
  return still({ ...state, exited: true }, ...before, { type: "exit", code });
}

function timer(name: TimerName, ms: number | null): Effect {
  return { type: "timer", name, ms };
}

function still(state: Machine, ...effects: readonly Effect[]): Step {
  return { state, effects };
}

function then({ state, effects }: Step, next: (state: Machine) => Step): Step {
  const after = next(state);
  return { state: after.state, effects: [...effects, ...after.effects] };
}
