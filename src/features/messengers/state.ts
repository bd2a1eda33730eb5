// A session as a messenger shows it: for each run a reply that grows and is then final, and a message for everything a
// person is asked. What was said before a question stays above it; what comes after is a message of its own. Pure, so
// whoever folds the same events after a crash finds the same messages, by the names of their parts.
import { nothing, SILENT } from "../../kernel/dialect/dialect.ts";
import { eventTable, matchEvent } from "../../kernel/events/event-table.ts";
import type { RunEvent } from "../../kernel/events/events.ts";
import * as words from "./labels.ts";
import type { Ask, Block } from "./labels.ts";
import { own } from "../../kernel/events/own.ts";
import { toolPictures, type Picture } from "../../kernel/state/tool-pictures.ts";

/** One message there. `final`: nothing of it changes any more. */
export type MessengerPost = {
  readonly part: string;
  readonly runId: string;
  readonly blocks: readonly Block[];
  readonly ask: Ask | null; // while it waits
  readonly picture?: Picture; // instead of blocks
  readonly final: boolean;
};

type RunView = {
  readonly runId: string;
  prompt: string;
  source: string;
  said: string; // by the last step that was completed, since the last question
  partial: string; // by the step that is going on
  activity: string;
  replies: number; // closed ones
  posts: MessengerPost[]; // closed replies and questions, in order
  pictures: readonly Picture[]; // the newest of its tools
  ended: boolean;
};
export type MessengerState = {
  seq: number; // session_seq
  /** Runs that were not forgotten, oldest first; without subagents. */
  readonly runs: Map<string, RunView>;
  readonly subagents: Record<string, { readonly root: string; readonly title: string }>;
};

const MAX_PARTIAL = 100_000;
const MAX_PICTURES = 4; // of a run: what it looked at on the way is nobody's answer

export function emptyMessenger(seq: number): MessengerState {
  return { seq, runs: new Map(), subagents: {} };
}

/** In place. */
export function advanceMessenger(state: MessengerState, event: RunEvent): void {
  if (event.session_seq <= state.seq) return;
  state.seq = event.session_seq;
  matchEvent(cases, event, state);
}

/** Every message there should be, in order. `source`: what was asked there needs no quoting. */
export function messengerPosts(state: MessengerState, source: string): MessengerPost[] {
  return [...state.runs.values()].flatMap((run) => [
    ...run.posts,
    ...currentReply(run, source),
    ...(run.ended ? picturePosts(run) : []),
  ]);
}

/** Nothing that began is under way: from here on a fold may begin anew. */
export function isSettled(state: MessengerState): boolean {
  return [...state.runs.values()].every(({ ended }) => ended);
}

export function forgetEnded(state: MessengerState): void {
  for (const [id, run] of state.runs) if (run.ended) state.runs.delete(id);
}

const cases = eventTable<[state: MessengerState], void>()({
  ...SILENT, // also `turn.superseded`: what a cut turn said may be all there will be
  "message.user": ({ run_id, payload }, state) => {
    if (payload.mode === "start" && isRoot(state, run_id))
      runIn(state, run_id).prompt ||= payload.text;
  },
  "run.queued": ({ run_id, payload }, state) => {
    const { parent_run_id, root_run_id, source } = payload;
    if (parent_run_id === null) {
      runIn(state, run_id).source = source;
    } else {
      state.subagents[run_id] ??= { root: root_run_id, title: "subagent" };
      state.runs.delete(run_id);
    }
  },
  "subagent.started": ({ run_id, payload }, state) => {
    const { child_run_id, title } = payload;
    state.subagents[child_run_id] = { root: rootOf(state, run_id), title };
    setActivity(state, run_id, title);
  },
  "subagent.completed": ({ run_id, payload }, state) => {
    delete state.subagents[payload.child_run_id];
    setActivity(state, run_id, "");
  },
  "turn.started": ({ run_id }, state) => {
    const run = state.runs.get(run_id);
    if (run) run.partial = "";
  },
  "token.delta": ({ run_id, payload }, state) => {
    const run = state.runs.get(run_id);
    if (run && run.partial.length < MAX_PARTIAL) run.partial += payload.delta;
  },
  "message.completed": ({ run_id, payload }, state) => {
    const run = state.runs.get(run_id);
    if (!run) return;
    if (payload.text.trim() !== "") run.said = payload.text;
    run.partial = "";
  },
  "tool.started": ({ run_id, payload }, state) => setActivity(state, run_id, payload.name),
  "tool.done": ({ run_id, payload }, state) => {
    setActivity(state, run_id, "");
    const run = state.runs.get(run_id);
    if (run && payload.ok) addPictures(run, toolPictures(payload));
  },

  "approval.requested": (event, state) => {
    addAsk(state, event, words.approvalAsk(event.payload, whoIn(state, event)));
  },
  "clarify.requested": (event, state) => {
    addAsk(state, event, words.clarifyAsk(event.payload, whoIn(state, event)));
  },
  "tool.outcome_unknown": (event, state) => {
    addAsk(state, event, words.outcomeAsk(event.payload, whoIn(state, event)));
  },
  "approval.resolved": ({ run_id, payload }, state) => {
    const { approval_id, choice, by } = payload;
    settleAsk(state, run_id, { id: approval_id, emitted: words.approvalAnswer(choice, by) });
  },
  "clarify.resolved": ({ run_id, payload }, state) => {
    const { clarify_id, response, by } = payload;
    settleAsk(state, run_id, { id: clarify_id, emitted: words.clarifyAnswer(response, by) });
  },
  done: ({ run_id, payload }, state) => {
    const ofRoot = state.runs.get(run_id);
    const run = ofRoot ?? state.runs.get(rootOf(state, run_id));
    delete state.subagents[run_id];
    if (!run) return; // a subagent that ends after the run that was stopped with it
    run.posts = run.posts.map((post) =>
      post.ask && (ofRoot || post.ask.runId === run_id) ? answered(post, words.NO_LONGER) : post,
    );
    if (!ofRoot) return;
    run.said = words.endingText(payload, run.partial || run.said);
    [run.partial, run.activity, run.ended] = ["", "", true];
  },

  status: nothing,
  error: nothing, // `done` has it
});

function currentReply(run: RunView, source: string): MessengerPost[] {
  const { runId, replies, ended } = run;
  const text = run.partial || run.said;
  if (text.trim() === "" && run.activity === "") return [];
  const foreign = run.source !== source && replies === 0 && run.posts.length === 0;
  const blocks: Block[] = [
    ...(foreign ? [words.elsewhere(run.prompt)] : []),
    ...(text.trim() === "" ? [] : [{ kind: "text", text } as const]),
    ...(run.activity === "" ? [] : [words.activityLine(run.activity)]),
  ];
  return [{ part: `reply:${runId}:${replies}`, runId, blocks, ask: null, final: ended }];
}

/** Each once, as it was seen last. */
function addPictures(run: RunView, seen: readonly Picture[]): void {
  if (seen.length === 0) return;
  const others = run.pictures.filter(({ sha256 }) => !seen.some((one) => one.sha256 === sha256));
  run.pictures = [...others, ...seen].slice(-MAX_PICTURES);
}

function picturePosts({ runId, pictures }: RunView): MessengerPost[] {
  return pictures.map((picture) => {
    const part = `picture:${runId}:${picture.sha256}`;
    return { part, runId, blocks: [], ask: null, final: true, picture };
  });
}

function addAsk(state: MessengerState, event: RunEvent, ask: Ask): void {
  const run = runIn(state, rootOf(state, event.run_id));
  const text = run.partial || run.said;
  if (text.trim() !== "") {
    const part = `reply:${run.runId}:${run.replies}`;
    const blocks = [{ kind: "text", text } as const];
    run.posts.push({ part, runId: run.runId, blocks, ask: null, final: true });
    run.replies += 1;
  }
  [run.said, run.partial, run.activity] = ["", "", ""];
  const asked = { ...ask, runId: event.run_id };
  const part = `ask:${ask.requestId}`;
  const others = run.posts.filter((post) => post.part !== part); // asked once more
  const post = { part, runId: run.runId, blocks: ask.blocks, ask: asked, final: false };
  run.posts = [...others, post];
}

function settleAsk(
  state: MessengerState,
  runId: string,
  { id, emitted }: { id: string; emitted: string },
): void {
  const run = state.runs.get(rootOf(state, runId));
  if (!run) return;
  const part = `ask:${id}`;
  run.posts = run.posts.map((post) =>
    post.part === part && post.ask ? answered(post, emitted) : post,
  );
}

function answered(post: MessengerPost, emitted: string): MessengerPost {
  const blocks = [...post.blocks, { kind: "text", text: emitted } as const];
  return { ...post, blocks, ask: null, final: true };
}

function setActivity(state: MessengerState, runId: string, activity: string): void {
  const run = state.runs.get(rootOf(state, runId));
  if (run && !run.ended) run.activity = activity;
}

function runIn(state: MessengerState, runId: string): RunView {
  const known = state.runs.get(runId);
  if (known) return known;
  const texts = { prompt: "", source: "", said: "", partial: "", activity: "" };
  const fresh: RunView = { runId, ...texts, replies: 0, posts: [], pictures: [], ended: false };
  state.runs.set(runId, fresh);
  return fresh;
}

function isRoot(state: MessengerState, runId: string): boolean {
  return !Object.hasOwn(state.subagents, runId);
}

function rootOf(state: MessengerState, runId: string): string {
  return own(state.subagents, runId)?.root ?? runId;
}

function whoIn(state: MessengerState, { run_id }: RunEvent): string | null {
  return own(state.subagents, run_id)?.title ?? null;
}
