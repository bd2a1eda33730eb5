// The runner is killed: in the middle of a sentence, and between a tool's start and its end.
import { answerQuestion } from "../runs.ts";
import type { Scenario } from "./stage.ts";

const crash: Scenario = {
  lines: {
    "Tell me about the sea.": [
      {
        think: "It is large.",
        say: "The sea is large and green and full of fish.",
        hangsOnce: true,
      },
    ],
  },
  async play(stage) {
    const { say, seen, ended } = stage;
    const { run_id, session_id } = await say("Tell me about the sea.");
    await seen(run_id, "fish.");
    await stage.kill("work");
    await ended(run_id);
    return session_id;
  },
};

/** Three calls are interrupted: one is marked done, one is retried, one is skipped. */
const outcomeUnknown: Scenario = {
  lines: {
    "Ring the bell.": [
      { say: "I ring.", calls: [["exec", { command: "echo one; sleep 63" }]] },
      { calls: [["exec", { command: "test -e rung || { touch rung; echo two; sleep 63; }" }]] },
      { calls: [["exec", { command: "echo three; sleep 63" }]] },
      { say: "The bell was rung." },
    ],
  },
  async play(stage) {
    const { say, seen, ended, post } = stage;
    const { session_id = "" } = await post("/api/sessions", { title: "Bell" });
    await post(`/api/sessions/${session_id}/settings`, { yolo: true });
    const { run_id } = await say("Ring the bell.", { session_id });
    for (const [turn, response] of ["mark_done", "retry", "skip"].entries()) {
      const call_id = `"call_id":"t${turn + 1}.1.c0"`;
      await seen(run_id, `${call_id},"channel"`);
      await stage.kill("work");
      await answerQuestion(stage, run_id, response);
    }
    await ended(run_id);
    return session_id;
  },
};

/** A subagent asks a question, and a command of it is interrupted by the same crash as its parent. */
const subagentQuestions: Scenario = {
  lines: {
    "Send a diver.": [
      { calls: [["delegate", { title: "Diver", prompt: "Dive." }]] },
      { say: "The diver is back." },
    ],
    "Dive.": [
      { calls: [["clarify", { question: "How deep?", choices: ["10 m", "20 m"] }]] },
      { calls: [["exec", { command: "echo diving; sleep 63" }]] },
      { say: "I was down there." },
    ],
  },
  async play(stage) {
    const { say, seen, ended, post } = stage;
    const { session_id = "" } = await post("/api/sessions", { title: "Diving" });
    await post(`/api/sessions/${session_id}/settings`, { yolo: true });
    const { run_id } = await say("Send a diver.", { session_id });
    await seen(run_id, '"subagent.started"');
    const child = `${run_id}.t1.1.c0`;
    await seen(child, '"clarify.requested"');
    await answerQuestion(stage, child, "20 m");
    await seen(child, '"tool.updated"');
    await stage.kill("work");
    await answerQuestion(stage, child, "mark_done");
    await ended(run_id);
    return session_id;
  },
};

export const CRASHES = {
  crash,
  "outcome-unknown": outcomeUnknown,
  "subagent-questions": subagentQuestions,
};
