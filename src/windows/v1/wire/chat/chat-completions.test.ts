// Chat completions as their readers get them, streamed and whole: the words of the run, what was cut said
// so, and nothing that waits for a person left out.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { tries } from "../../../../../test/support/tries.ts";
import * as d from "../../../../../test/support/drafts.ts";
import {
  journals,
  seal,
  sealAll,
  sessions,
  type AnyDraft,
} from "../../../../../test/support/events.ts";
import type { RunEvent } from "../../../../kernel/events/events.ts";
import { applyEvent, emptyRun } from "../../../../kernel/state/run/state.ts";
import { toArray } from "../../../../kernel/state/vector.ts";
import { chatCompletion } from "./object.ts";
import { withoutRepeats, type Steps } from "../../../../kernel/dialect/append-only.ts";
import { chatDialect, chatText, type ChatChunk, type ChatFrame } from "./chat-completions.ts";
import { encode } from "../../../../kernel/dialect/dialect.ts";
import { responsesDialect } from "../responses/responses.ts";

const plain = chatDialect({ usage: false });
const counted = chatDialect({ usage: true });
type Emitted = ReturnType<typeof plain.begin>;

function emit(
  events: readonly RunEvent[],
  { dialect = plain, replay = false, state = dialect.begin() as Emitted } = {},
) {
  const frames = events.flatMap((event) => encode(dialect, event, state, { replay }));
  return { state, frames };
}

/** What is said in each attempt but repeats (W20). */
function deltasOf(events: readonly RunEvent[]): string[] {
  const steps: Steps = {};
  return events.flatMap((event) => {
    const emitted = withoutRepeats(event, steps);
    return emitted?.type === "token.delta" ? [emitted.payload.delta] : [];
  });
}

function whole(events: readonly RunEvent[]) {
  const state = responsesDialect.begin();
  for (const event of events) encode(responsesDialect, event, state, { replay: false });
  return chatCompletion(state);
}

const isChunk = (data: ChatFrame["data"]): data is ChatChunk =>
  data !== "[DONE]" && !("error" in data);

function wordsIn(frames: readonly ChatFrame[], field: "content" | "reasoning_content" = "content") {
  return frames
    .map(({ data }) => (isChunk(data) ? (data.choices[0]?.delta[field] ?? "") : ""))
    .join("");
}
const kinds = (frames: readonly ChatFrame[]) => frames.map((frame) => plain.kind(frame));
const revived = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value)) as Value;

test("[W1] live, replayed and cut anywhere it is the same, and the state is plain data", () => {
  fc.assert(
    fc.property(fc.oneof(journals, sessions), fc.nat(), (events, nat) => {
      const all = emit(events).frames;
      assert.deepEqual(emit(events, { replay: true }).frames, all);
      const cut = nat % (events.length + 1);
      const first = emit(events.slice(0, cut));
      const rest = emit(events.slice(cut), { state: revived(first.state) });
      assert.deepEqual([...first.frames, ...rest.frames], all);
    }),
    { numRuns: tries(500) },
  );
});

test("[W1] a stream begins with the role, ends with [DONE], and finishes once", () => {
  fc.assert(
    fc.property(journals, (events) => {
      const emitted = kinds(emit(events, { dialect: counted }).frames);
      assert.equal(emitted[0], "chunk: role, content");
      const ended = events.at(-1)?.terminal === true;
      const finishes = emitted.filter((kind) => kind.includes("finish_reason"));
      assert.equal(finishes.length, ended ? 1 : 0);
      if (ended) assert.deepEqual(emitted.slice(-2), ["chunk: usage", "[DONE]"]);
    }),
  );
});

test("[W1] everything that was said is in the stream, in its order, and what counts is in the whole", () => {
  fc.assert(
    fc.property(journals, (events) => {
      const run = events.reduce(applyEvent, emptyRun("r1"));
      const texts = toArray(run.items).filter((item) => item.kind === "text" && item.text !== "");
      const { content } = whole(events).choices[0].message;
      for (const item of texts) {
        if (item.kind === "text" && !item.superseded) assert.ok(content.includes(item.text));
      }
      const deltas = deltasOf(events);
      let at = 0;
      const streamed = wordsIn(emit(events).frames);
      for (const delta of deltas) {
        const found = streamed.indexOf(delta, at);
        assert.ok(found >= at, `${JSON.stringify(delta)} after ${at}`);
        at = found + delta.length;
      }
    }),
  );
});

test("[W4] whatever waits for a person is said, streamed and whole", () => {
  fc.assert(
    fc.property(journals, fc.nat(), (events, nat) => {
      const seen = events.slice(0, nat % (events.length + 1));
      const run = seen.reduce(applyEvent, emptyRun("r1"));
      const streamed = wordsIn(emit(seen).frames);
      for (const id of Object.keys(run.pending)) {
        assert.ok(streamed.includes(id), `${id} in the stream`);
        const { choices, quarterdeck } = whole(seen);
        assert.ok(choices[0].message.content.includes(id), `${id} in the answer`);
        assert.ok(quarterdeck.pending.some(({ request_id }) => request_id === id));
      }
    }),
    { numRuns: tries(300) },
  );
});

const begun = [d.userMessage("go"), d.queued, d.started(), d.turnStarted(1)];

test("[W20] a cut step's words go on in the stream", () => {
  const events = seal("r1", [
    ...begun,
    d.token("m1.1", "Hel"),
    d.superseded(1),
    d.turnStarted(1, 2),
    d.token("m1.2", "Hello"),
    d.said("m1.2", "Hello", "t1.2"),
    d.done(9),
  ]);
  assert.equal(wordsIn(emit(events).frames), "Hello");
  assert.equal(whole(events).choices[0].message.content, "Hello");
});

test("[W4] a cut step that said nothing leaves no mark", () => {
  const cut = [...begun, d.superseded(1), d.turnStarted(1, 2), d.token("m1.2", "Hello")];
  assert.equal(wordsIn(emit(seal("r1", cut)).frames), "Hello");
});

test("[W1] texts between tools stand apart; thoughts have a place of their own", () => {
  const events = seal("r1", [
    ...begun,
    d.thought("a", "hm "),
    d.thought("a", "so"),
    d.thought("b", "then"),
    {
      type: "reasoning.delta",
      payload: { reasoning_id: "h", delta: "psst", visibility: "hidden" },
    },
    d.token("m1.1", "One"),
    d.token("m1.1", "."),
    d.said("m1.1", "One."),
    d.intent("c1"),
    d.toolStarted("c1"),
    d.toolDone("c1"),
    d.turnStarted(2),
    d.token("m2.1", "Two."),
    d.said("m2.1", "Two.", "t2.1"),
    d.done(17),
  ]);
  const { frames } = emit(events);
  assert.equal(wordsIn(frames), "One.\n\nTwo.");
  assert.equal(wordsIn(frames, "reasoning_content"), "hm so\n\nthen");
  const { content, reasoning_content } = whole(events).choices[0].message;
  assert.equal(content, "One.\n\nTwo.");
  assert.equal(reasoning_content, "hm so\n\nthen");
  const tools = frames.filter((frame) => "event" in frame);
  assert.deepEqual(
    tools.map(({ event, data }) => [event, data.tool, data.emoji, data.label, data.status]),
    [
      ["hermes.tool.progress", "exec", "💻", "Run ls", "running"],
      ["hermes.tool.progress", "exec", "💻", "Run ls", "completed"],
    ],
  );
  assert.deepEqual(
    tools.map(({ data }) => data.choices[0]?.delta),
    [{}, {}],
    "an empty chunk to whoever does not read event names",
  );
  assert.equal(tools[0]?.data.toolCallId, "r1.c1");
  assert.match(
    chatText(tools[0] as ChatFrame),
    /^event: hermes\.tool\.progress\ndata: \{.*\}\n\n$/,
  );
});

test("[W6] how a run ends is how its completion finishes", () => {
  const ended = (finish_reason: string, how: "completed" | "failed" | "cancelled" | "expired") => {
    const last: AnyDraft = {
      type: "message.completed",
      payload: { message_id: "m1.1", turn_id: "t1.1", text: "x", tool_calls: [], finish_reason },
    };
    return seal("r1", [...begun, last, d.done(6, how)]);
  };
  const streamed = (events: RunEvent[]) => kinds(emit(events).frames).slice(-2)[0];
  assert.equal(streamed(ended("stop", "completed")), "chunk: finish_reason stop");
  assert.equal(streamed(ended("length", "completed")), "chunk: finish_reason length");
  assert.equal(
    streamed(ended("content_filter", "completed")),
    "chunk: finish_reason content_filter",
  );
  for (const how of ["failed", "expired"] as const) {
    const last = kinds(emit(ended("stop", how)).frames).slice(-3);
    assert.deepEqual(last, ["chunk: finish_reason error", "error", "[DONE]"]);
  }
  assert.equal(whole(ended("length", "completed")).choices[0].finish_reason, "length");
  const error = { message: "It was boom.", type: "server_error", code: "boom" };
  assert.deepEqual(emit(ended("stop", "failed")).frames.at(-2), { data: { error } });
  const cancelled = ended("cancelled", "cancelled");
  assert.equal(wordsIn(emit(cancelled).frames), "x\n\n[cancelled]");
  assert.equal(whole(cancelled).choices[0].message.content, "x\n\n[cancelled]");
});

test("[W4] a subagent's request is told, its inner work is not", () => {
  const child = {
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
  const events = sealAll([
    ...[...begun, child].map((draft) => ({ logId: "r1", draft })),
    ...[...begun, d.token("m1.1", "inner"), d.intent("c1"), d.approvalAsked("c1")].map((draft) => ({
      logId: "r1.c",
      draft,
    })),
    { logId: "r1.c", draft: d.done(8) },
  ]);
  const { frames } = emit(events);
  const said = wordsIn(frames);
  assert.ok(!said.includes("inner"));
  assert.match(said, /POST \/v1\/runs\/r1\.c\/approval \{"request_id":"ap_c1"/);
  assert.ok(!kinds(frames).includes("[DONE]"), "a subagent's end is not the run's");
});

test("[W1] unknown counts are null, known ones are told as both formats want them", () => {
  const usage = {
    input_tokens: 10,
    output_tokens: 5,
    total_tokens: null,
    reasoning_tokens: 2,
    cached_tokens: 3,
    cost_usd: null,
  };
  const end: AnyDraft = {
    type: "done",
    payload: { status: "completed", result: null, error: null, usage, last_seq: 5 },
  };
  const events = seal("r1", [...begun, end]);
  const expected = {
    prompt_tokens: 10,
    completion_tokens: 5,
    total_tokens: 15,
    prompt_tokens_details: { cached_tokens: 3 },
    completion_tokens_details: { reasoning_tokens: 2 },
  };
  const emitted = emit(events, { dialect: counted }).frames.at(-2);
  assert.deepEqual(emitted && isChunk(emitted.data) && emitted.data.usage, expected);
  assert.deepEqual(whole(events).usage, expected);
  const none = emit(seal("r1", [...begun, d.done(5)]), { dialect: counted }).frames.at(-2);
  assert.equal(none && isChunk(none.data) && none.data.usage, null);
  assert.equal(whole(seal("r1", [...begun, d.done(5)])).usage, undefined);
});

test("[W1] a call that is tried again after a recovery is told to run once", () => {
  const before = [d.queued, d.started(), d.turnStarted(1), d.intent("c1"), d.toolStarted("c1")];
  const again = [d.recovery(1), d.toolStarted("c1", 2), d.toolDone("c1")];
  const { frames } = emit(seal("r1", [...before, ...again]));
  const emitted = frames.flatMap((frame) => ("event" in frame ? [frame.data.status] : []));
  assert.deepEqual(emitted, ["running", "completed"]);
});
