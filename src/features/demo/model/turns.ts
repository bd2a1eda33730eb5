// Cuts a demo script into turns: what one model call plays, up to and including its group of tool calls.
// Pure, and the same for the same script and tools, so a runner that crashed and asks again by turn number
// gets the same continuation.
import type { DemoCall, Directive } from "./script.ts";
import { TOUR } from "./tour.ts";

/** `pace` is the wait after each word in ms; undefined leaves it to the model's own setting. */
export type Beat = { pace: number | undefined } & (
  | { kind: "say"; text: string }
  | { kind: "think"; text: string }
  | { kind: "count"; upTo: number }
);

/** The last turn makes no calls; a turn with `failure` never ends normally. */
export type Turn = {
  pace: number | undefined;
  beats: readonly Beat[];
  calls: readonly DemoCall[];
  failure?: string;
};

type Draft = {
  turns: Turn[];
  pace: number | undefined;
  startPace: number | undefined;
  beats: Beat[];
  calls: DemoCall[];
  step: number | undefined; // of the plan: done when the next one starts, or the plan or script ends
  grouping: boolean;
  tools: ReadonlySet<string>;
};

type DirectiveTable = {
  [Kind in Directive["kind"]]: (
    directive: Extract<Directive, { kind: Kind }>,
    draft: Draft,
  ) => void;
};

export function toTurns(script: readonly Directive[], tools: ReadonlySet<string>): readonly Turn[] {
  const draft: Draft = {
    turns: [],
    pace: undefined,
    startPace: undefined,
    beats: [],
    calls: [],
    step: undefined,
    grouping: false,
    tools,
  };
  const failAt = script.findIndex(({ kind }) => kind === "fail");
  for (const directive of failAt === -1 ? script : script.slice(0, failAt)) play(directive, draft);
  endGroup(draft);
  const fail = script[failAt];
  if (fail?.kind === "fail") {
    return [...draft.turns, { ...lastTurn(draft), failure: fail.message }];
  }
  endStep(draft); // before the closing words, not after them
  if (draft.calls.length > 0) {
    draft.turns.push({ pace: draft.startPace, beats: [], calls: draft.calls });
  }
  return [...draft.turns, lastTurn(draft)];
}

const table: DirectiveTable = {
  say: ({ text }, draft) => void draft.beats.push({ kind: "say", text, pace: draft.pace }),
  think: ({ text }, draft) => void draft.beats.push({ kind: "think", text, pace: draft.pace }),
  count: ({ upTo }, draft) => void draft.beats.push({ kind: "count", upTo, pace: draft.pace }),
  pace: ({ ms }, draft) => void (draft.pace = ms),
  call: ({ call }, draft) => {
    if (call.name === "plan") endStep(draft);
    addCall(call, draft);
    if (!draft.grouping) endGroup(draft);
  },
  step: ({ index }, draft) => {
    endStep(draft);
    if (!addCall({ name: "plan", args: { action: "step_started", index } }, draft)) return;
    draft.step = index;
    if (!draft.grouping) endGroup(draft);
  },
  together: (_, draft) => {
    endGroup(draft);
    draft.grouping = true;
  },
  end: (_, draft) => {
    endGroup(draft);
    draft.grouping = false;
  },
  fail: () => undefined, // ends the script: toTurns never gets past one
  tour: (_, draft) => {
    for (const directive of TOUR) play(directive, draft);
  },
  unknown: ({ line }, draft) => remark(`I do not know how to follow this line: ${line}`, draft),
};

function play(directive: Directive, draft: Draft): void {
  (table[directive.kind] as (directive: Directive, draft: Draft) => void)(directive, draft);
}

function addCall(call: DemoCall, draft: Draft): boolean {
  const known = draft.tools.has(call.name);
  if (known) draft.calls.push(call);
  else remark(`There is no tool called ${call.name} here, so I skip this step.`, draft);
  return known;
}

function remark(text: string, draft: Draft): void {
  draft.beats.push({ kind: "say", text, pace: draft.pace });
}

function endStep(draft: Draft): void {
  if (draft.step === undefined) return;
  addCall({ name: "plan", args: { action: "step_completed", index: draft.step } }, draft);
  draft.step = undefined;
}

function endGroup(draft: Draft): void {
  if (draft.calls.length === 0) return;
  draft.turns.push({ pace: draft.startPace, beats: draft.beats, calls: draft.calls });
  draft.startPace = draft.pace;
  draft.beats = [];
  draft.calls = [];
}

function lastTurn({ startPace, beats }: Draft): Turn {
  return { pace: startPace, beats, calls: [] };
}
