// Responses as their readers get them: numbered without holes, the same from wherever they are read, and
// understood by the official client's own accumulator.
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { tries } from "../../../../../test/support/tries.ts";
import { accumulateResponse } from "openai/lib/responses/ResponseAccumulator";
import * as d from "../../../../../test/support/drafts.ts";
import {
  journals,
  runDrafts,
  seal,
  sealAll,
  sessions,
  type AnyDraft,
  type Entry,
} from "../../../../../test/support/events.ts";
import type { RunEvent } from "../../../../kernel/events/events.ts";
import { applyEvent, emptyRun } from "../../../../kernel/state/run/state.ts";
import { encode } from "../../../../kernel/dialect/dialect.ts";
import { pendingIn, responseObject, V1_METADATA } from "./object.ts";
import type { ResponsesFrame } from "./writing.ts";
import { responsesDialect } from "./responses.ts";

type Emitted = { state: ReturnType<typeof responsesDialect.begin>; frames: ResponsesFrame[] };
type Accumulated = ReturnType<typeof accumulateResponse>;

function emit(
  events: readonly RunEvent[],
  replay = false,
  state = responsesDialect.begin(),
): Emitted {
  const frames = events.flatMap((event) => encode(responsesDialect, event, state, { replay }));
  return { state, frames };
}

const revived = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value)) as Value;

/** What the official client makes of it. */
function accumulated(frames: readonly ResponsesFrame[]): Accumulated | undefined {
  let response: Accumulated | undefined;
  for (const frame of revived(frames)) {
    response = accumulateResponse(frame as never, response);
  }
  return response;
}

/** A run whose subagent has a run of its own, their events mixed. */
const families: fc.Arbitrary<RunEvent[]> = fc
  .tuple(runDrafts, runDrafts, fc.array(fc.boolean(), { maxLength: 80 }))
  .map(([parent, child, order]) => {
    const born: AnyDraft = {
      type: "subagent.started",
      payload: {
        subagent_id: "r1.c",
        child_run_id: "r1.c",
        call_id: "c",
        title: "Sub",
        prompt: "go",
        depth: 1,
      },
    };
    const of = (logId: string, draft: AnyDraft): Entry => ({ logId, draft: renamed(logId, draft) });
    const head = [...parent.slice(0, 3), born].map((draft) => of("r1", draft));
    const rest = parent.slice(3).map((draft) => of("r1", draft));
    const below = child.map((draft) => of("r1.c", draft));
    const mixed: Entry[] = [];
    for (const pick of order) mixed.push(...(pick ? rest : below).splice(0, 1));
    return sealAll([...head, ...mixed, ...below, ...rest]);
  });

/** Ids of requests are unique in a journal; a run's own ids are not. */
function renamed(logId: string, draft: AnyDraft): AnyDraft {
  if (logId === "r1") return draft;
  const ids = ["approval_id", "clarify_id", "request_id"];
  const payload = Object.fromEntries(
    Object.entries(draft.payload).map(([name, value]) => [
      name,
      ids.includes(name) ? `${String(value)}@${logId}` : value,
    ]),
  );
  return { type: draft.type, payload } as AnyDraft;
}

const anything = fc.oneof(journals, sessions, families);

test("[W1, W3] numbers are dense from 0, and items are added in the order of their index", () => {
  fc.assert(
    fc.property(anything, (events) => {
      const { frames, state } = emit(events);
      assert.deepEqual(
        frames.map(({ sequence_number }) => sequence_number),
        frames.map((_, index) => index),
      );
      assert.equal(state.sequence, frames.length);
      const added = frames.filter(({ type }) => type === "response.output_item.added");
      assert.deepEqual(
        added.map(({ output_index }) => output_index),
        added.map((_, index) => index),
      );
    }),
    { numRuns: tries(500) },
  );
});

test("[W1] live, replayed and cut anywhere it is the same, and the state is plain data", () => {
  fc.assert(
    fc.property(anything, fc.nat(), (events, nat) => {
      const whole = emit(events);
      assert.deepEqual(emit(events, true).frames, whole.frames);
      const cut = nat % (events.length + 1);
      const first = emit(events.slice(0, cut));
      const rest = emit(events.slice(cut), false, revived(first.state));
      assert.deepEqual([...first.frames, ...rest.frames], whole.frames);
      assert.deepEqual(responseObject(rest.state), responseObject(whole.state));
    }),
    { numRuns: tries(500) },
  );
});

test("[W1] the official client's accumulator ends with what the fold has, at any moment", () => {
  fc.assert(
    fc.property(anything, fc.nat(), (events, nat) => {
      const { frames, state } = emit(events.slice(0, nat % (events.length + 1)));
      if (frames.length === 0) return;
      const theirs = accumulated(frames);
      assert.deepEqual(theirs?.output, revived(responseObject(state).output));
    }),
    { numRuns: tries(500) },
  );
});

test("[W4] whatever waits is told, a subagent's too, and whatever was answered waits no more", () => {
  fc.assert(
    fc.property(fc.oneof(journals, families), fc.nat(), (events, nat) => {
      const seen = events.slice(0, nat % (events.length + 1));
      const { state } = emit(seen);
      if (state.runId === null) return;
      const ended = seen.some(({ type, run_id }) => type === "done" && run_id === "r1");
      const runs = ["r1", "r1.c"].map((id) =>
        seen.filter(({ run_id }) => run_id === id).reduce(applyEvent, emptyRun(id)),
      );
      const waits = runs.flatMap(({ pending }) => Object.keys(pending)).toSorted();
      if (ended) return;
      const emitted = pendingIn(state).map(({ request_id }) => request_id);
      assert.deepEqual(emitted.toSorted(), waits);
      const words = JSON.stringify(state.output);
      for (const id of waits) assert.ok(words.includes(`[Waiting for`) && words.includes(id), id);
    }),
    { numRuns: tries(500) },
  );
});

const file = (name: string) => readFileSync(join(import.meta.dirname, name), "utf8");
const recorded = globSync("../../../../../test/journals/sessions/*.events.jsonl", {
  cwd: import.meta.dirname,
});

for (const name of recorded) {
  test(`[W1] a recorded session, run by run, to the official client: ${name.split("/").at(-1)}`, () => {
    const events = file(name)
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as RunEvent);
    const roots = events.filter(
      (event) => event.type === "run.queued" && event.payload.parent_run_id === null,
    );
    for (const { run_id } of roots) {
      const own = events.filter(
        (event) => event.run_id === run_id || event.run_id.startsWith(`${run_id}.`),
      );
      const { frames, state } = emit(own);
      assert.deepEqual(accumulated(frames)?.output, revived(responseObject(state).output));
      assert.equal(accumulated(frames)?.status, state.status);
    }
  });
}

const begun = [d.userMessage("go"), d.queued, d.started(), d.turnStarted(1)];
const types = ({ frames }: Emitted) => frames.map(({ type }) => type);

test("[W20a] a cut step goes on in the same item", () => {
  const { frames, state } = emit(
    seal("r1", [
      ...begun,
      d.thought("th", "hm"),
      d.token("m1.1", "Hel"),
      d.superseded(1),
      d.turnStarted(1, 2),
      d.token("m1.2", "Hello"),
      d.said("m1.2", "Hello", "t1.2"),
      d.done(10),
    ]),
  );
  assert.equal(accumulated(frames)?.output_text, "Hello");
  assert.deepEqual(
    state.output.map((item) => [item.type, "status" in item && item.status]),
    [
      ["reasoning", "incomplete"],
      ["message", "completed"],
    ],
  );
});

test("[W6] a cancelled response ends as one that is not complete, and keeps its words", () => {
  const said: AnyDraft = {
    type: "message.completed",
    payload: {
      message_id: "m1.1",
      turn_id: "t1.1",
      text: "Hel",
      tool_calls: [],
      finish_reason: "cancelled",
    },
  };
  const events = [...begun, d.token("m1.1", "Hel"), said, d.done(7, "cancelled")];
  const emitted = emit(seal("r1", events));
  assert.equal(types(emitted).at(-1), "response.incomplete");
  const response = accumulated(emitted.frames);
  assert.equal(response?.status, "cancelled");
  assert.equal(response?.output_text, "Hel");
  assert.equal(response?.output[0]?.type === "message" && response.output[0].status, "incomplete");
});

test("[W6] how a run ends is how its response ends", () => {
  const finished = (finish_reason: string, how: "completed" | "failed" | "expired"): Emitted => {
    const last: AnyDraft = {
      type: "message.completed",
      payload: { message_id: "m1.1", turn_id: "t1.1", text: "x", tool_calls: [], finish_reason },
    };
    return emit(seal("r1", [...begun, last, d.done(6, how)]));
  };
  const ends = (emitted: Emitted) => {
    const { status, incomplete_details, error } = responseObject(emitted.state);
    return [types(emitted).at(-1), status, incomplete_details?.reason, error?.code];
  };
  const none = undefined;
  assert.deepEqual(ends(finished("stop", "completed")), [
    "response.completed",
    "completed",
    none,
    none,
  ]);
  assert.deepEqual(ends(finished("length", "completed")), [
    "response.incomplete",
    "incomplete",
    "max_output_tokens",
    none,
  ]);
  const failed = ["response.failed", "failed", none, "server_error"];
  assert.deepEqual(ends(finished("stop", "failed")), failed);
  assert.deepEqual(ends(finished("stop", "expired")), failed);
});

test("[W4] approvals are the format's own requests, questions are functions, and answers follow", () => {
  const asking = [
    ...begun,
    d.said("m1.1", "May I?"),
    d.intent("c1"),
    d.approvalAsked("c1"),
    d.clarifyAsked("cl_1", null),
  ];
  const waiting = emit(seal("r1", asking));
  const kinds = waiting.state.output.map(({ type }) => type);
  assert.deepEqual(kinds, [
    "message",
    "mcp_call",
    "mcp_approval_request",
    "message",
    "function_call",
    "message",
  ]);
  const question = waiting.state.output[4];
  assert.ok(question?.type === "function_call");
  assert.equal(question.name, "quarterdeck_clarify");
  assert.equal(question.call_id, "cl_1");
  assert.deepEqual(JSON.parse(question.arguments), {
    question: "Which one?",
    choices: ["left", "right"],
  });
  assert.match(accumulated(waiting.frames)?.output_text ?? "", /Waiting for approval.*ap_c1/);
  assert.deepEqual(
    pendingIn(waiting.state).map(({ request_id }) => request_id),
    ["ap_c1", "cl_1"],
  );

  const answers = [d.approvalGiven("c1", "deny"), d.clarifyGiven("cl_1", null, "left")];
  const emitted = emit(seal("r1", [...asking, ...answers, d.toolDone("c1", "denied"), d.done(12)]));
  assert.equal(
    accumulated(emitted.frames)?.output_text,
    "May I?",
    "what was answered is not in the text",
  );
  const approved = emitted.state.output.find(({ type }) => type === "mcp_approval_response");
  assert.ok(approved?.type === "mcp_approval_response");
  assert.equal(approved.approval_request_id, "ap_c1");
  assert.equal(approved.approve, false);
  const outputs = emitted.state.output.filter((item) => item.type === "function_call_output");
  assert.deepEqual(
    outputs.map(({ call_id, output }) => [call_id, output]),
    [["cl_1", "left"]],
  );
  const denied = emitted.state.output.find((item) => item.type === "mcp_call");
  assert.deepEqual(
    [denied?.status, denied?.output, denied?.approval_request_id],
    ["failed", "denied", "ap_c1"],
  );
});

test("[W1] thoughts that are not to be shown are not told", () => {
  const hidden: AnyDraft[] = [
    {
      type: "reasoning.delta",
      payload: { reasoning_id: "h", delta: "psst", visibility: "hidden" },
    },
    {
      type: "reasoning.done",
      payload: { reasoning_id: "h", text: "psst", duration_ms: 1, visibility: "hidden" },
    },
  ];
  const { frames } = emit(seal("r1", [...begun, ...hidden, d.done(7)]));
  assert.ok(!JSON.stringify(frames).includes("psst"));
});

test("[W1] arguments that a person changed are the call's arguments", () => {
  const { frames } = emit(
    seal("r1", [...begun, d.said("m1.1", ""), d.intent("c1"), d.replanned("c1"), d.toolDone("c1")]),
  );
  const [call] = accumulated(frames)?.output ?? [];
  assert.equal(call?.type === "mcp_call" && call.arguments, '{"command":"ls -l"}');
});

test("[W1] what a request said that a run has no field for is told from the run's metadata", () => {
  const queued = d.queued as Extract<AnyDraft, { type: "run.queued" }>;
  const metadata = {
    topic: "x",
    count: 3,
    [V1_METADATA]: { background: true, previous_response_id: "resp_r0" },
  };
  const { state } = emit(
    seal("r1", [d.userMessage("go"), { ...queued, payload: { ...queued.payload, metadata } }]),
  );
  const response = responseObject(state);
  assert.equal(response.background, true);
  assert.equal(response.previous_response_id, "resp_r0");
  assert.deepEqual(response.metadata, { topic: "x", count: "3" });
  assert.deepEqual(response.conversation, { id: "s1" });
});

test("[W1] a call that is tried again after a recovery stays one item", () => {
  const before = [d.queued, d.started(), d.turnStarted(1), d.intent("c1"), d.toolStarted("c1")];
  const again = [d.recovery(1), d.intent("c1"), d.toolStarted("c1", 2), d.toolDone("c1")];
  const { state, frames } = emit(seal("r1", [...before, ...again]));
  assert.deepEqual(
    state.output.map(({ type }) => type),
    ["mcp_call"],
  );
  const added = frames.filter(({ type }) => type === "response.output_item.added");
  assert.equal(added.length, 1);
});

test("[W12] a tool the server executes is an mcp_call; as a function only where the request asked for it", () => {
  const queued = d.queued as Extract<AnyDraft, { type: "run.queued" }>;
  const did = [
    d.started(),
    d.turnStarted(1),
    d.intent("c1"),
    d.toolStarted("c1"),
    d.toolDone("c1"),
  ];
  const kindsWith = (metadata: Record<string, unknown>) => {
    const first = { ...queued, payload: { ...queued.payload, metadata } };
    const { state, frames } = emit(seal("r1", [first, ...did]));
    const items = state.output.map(({ type }) => type);
    return { items, frames: frames.map(({ type }) => type.slice("response.".length)) };
  };
  const usual = kindsWith({});
  assert.deepEqual(usual.items, ["mcp_call"]);
  assert.deepEqual(usual.frames.slice(2), [
    "output_item.added",
    "mcp_call.in_progress",
    "mcp_call_arguments.delta",
    "mcp_call_arguments.done",
    "mcp_call.completed",
    "output_item.done",
  ]);
  const hermes = kindsWith({ [V1_METADATA]: { tool_items: "function_call" } });
  assert.deepEqual(hermes.items, ["function_call", "function_call_output"]);
});
