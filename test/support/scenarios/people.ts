// Sessions that wait for a person: for approval, refusal, an answer, more budget or a stop.
import { call } from "../http.ts";
import { answerQuestion, runInfo } from "../runs.ts";
import { until } from "../until.ts";
import type { Scenario, Stage } from "./stage.ts";

const exec = (command: string) => ["exec", { command }] as const;

async function allow(stage: Stage, runId: string, body: object, after: string | null = null) {
  const id = await until(async () => {
    const { pending_approval_id } = await runInfo(stage, runId);
    return pending_approval_id === after ? null : pending_approval_id;
  }, "an approval request");
  await stage.post(`/api/runs/${runId}/approvals/${id}`, body);
  return id;
}

/** Allowed once, for the session (not asked the second time), and with edited arguments. */
const approval: Scenario = {
  lines: {
    "Greet three times.": [
      { say: "First I ask.", calls: [exec("echo once")] },
      { calls: [exec("echo session")] },
      { calls: [exec("echo session")] },
      { calls: [exec("echo dangerous")] },
      { say: "All greeted." },
    ],
  },
  async play(stage) {
    const { run_id, session_id } = await stage.say("Greet three times.");
    const first = await allow(stage, run_id, { choice: "once" });
    const second = await allow(stage, run_id, { choice: "session" }, first);
    const edited = { choice: "once", arguments: { command: "echo harmless" } };
    await allow(stage, run_id, { ...edited, feedback: "Not that one." }, second);
    await stage.ended(run_id);
    return session_id;
  },
};

/** Answers the later of two requests first. */
async function answerBoth(stage: Stage): Promise<void> {
  type Pending = { request_id: string; run_id: string; prompt: string };
  const asked = await until(async () => {
    const { body } = await call<{ pending: Pending[] }>(stage, "GET", "/api/pending");
    return body.data.pending.length === 2 ? body.data.pending : undefined;
  }, "two requests");
  const answers = { "echo right": "once", "echo left": "deny" };
  for (const [prompt, choice] of Object.entries(answers)) {
    const request = asked.find((one) => one.prompt === prompt);
    const path = `/api/runs/${request?.run_id}/approvals/${request?.request_id}`;
    await stage.post(path, { choice });
  }
}

const BOTH = [
  { calls: [exec("echo left"), exec("echo right")] },
  { say: "One was allowed." },
] as const;

/** Two requests of one turn are pending at once: of the run itself, and of a subagent. */
const twoApprovals: Scenario = {
  lines: {
    "Do both.": BOTH,
    "Let somebody do them.": [
      { calls: [["delegate", { title: "Helper", prompt: "Both, please." }]] },
      { say: "Somebody did one." },
    ],
    "Both, please.": BOTH,
  },
  async play(stage) {
    const { run_id, session_id } = await stage.say("Do both.");
    await answerBoth(stage);
    await stage.ended(run_id);
    const second = await stage.say("Let somebody do them.", { session_id });
    await answerBoth(stage);
    await stage.ended(second.run_id);
    return session_id;
  },
};

const deny: Scenario = {
  lines: {
    "Clean up.": [
      { say: "I would remove everything.", calls: [exec("rm -r everything")] },
      { say: "Then I will leave it as it is." },
    ],
  },
  async play(stage) {
    const { run_id, session_id } = await stage.say("Clean up.");
    await allow(stage, run_id, { choice: "deny", feedback: "Keep everything, please." });
    await stage.ended(run_id);
    return session_id;
  },
};

const clarify: Scenario = {
  lines: {
    "Paint the boat.": [
      { calls: [["clarify", { question: "Which colour?", choices: ["red", "blue"] }]] },
      { calls: [["clarify", { question: "Which name shall it have?" }]] },
      { say: "It is blue and its name is Ida." },
    ],
  },
  async play(stage) {
    const { run_id, session_id } = await stage.say("Paint the boat.");
    await answerQuestion(stage, run_id, "blue");
    await stage.seen(run_id, "Which name");
    await answerQuestion(stage, run_id, "Ida");
    await stage.ended(run_id);
    return session_id;
  },
};

const READS = [
  { calls: [["list_files", { path: "." }]] },
  { calls: [["list_files", { path: "." }]] },
  { calls: [["list_files", { path: "." }]] },
  { say: "I looked three times." },
] as const;

/** The budget is extended; in a second run the answer is stop; a third run is cancelled. */
const budget: Scenario = {
  lines: { "Look three times.": READS, "Look again.": READS },
  async play(stage) {
    const limits = { budget: { tool_calls: 2 } };
    const { run_id, session_id } = await stage.say("Look three times.", limits);
    await answerQuestion(stage, run_id, "continue");
    await stage.ended(run_id);
    const second = await stage.say("Look again.", { session_id, ...limits });
    await answerQuestion(stage, second.run_id, "stop");
    await stage.ended(second.run_id);
    const third = await stage.say("Look again.", { session_id, ...limits });
    await stage.seen(third.run_id, '"clarify.requested"');
    await stage.post(`/api/runs/${third.run_id}/cancel`);
    await stage.ended(third.run_id);
    return session_id;
  },
};

/** Stopped while it streams text, while a tool runs, and while it waits for an approval. */
const cancel: Scenario = {
  lines: {
    "Tell me a long story.": [{ say: "Once upon a time there was", hangsOnce: true }],
    "Wait a minute.": [{ say: "I wait.", calls: [exec("echo waiting; sleep 61")] }],
    "Ask me first.": [{ calls: [exec("echo never")] }],
  },
  async play(stage) {
    const { run_id, session_id } = await stage.say("Tell me a long story.");
    await stage.seen(run_id, "there was");
    await stage.post(`/api/runs/${run_id}/cancel`, { reason: "too long" });
    await stage.ended(run_id);
    const second = await stage.say("Wait a minute.", { session_id });
    await allow(stage, second.run_id, { choice: "once" });
    await stage.seen(second.run_id, '"tool.updated"');
    await stage.post(`/api/runs/${second.run_id}/cancel`);
    await stage.ended(second.run_id);
    const third = await stage.say("Ask me first.", { session_id });
    await stage.seen(third.run_id, '"approval.requested"');
    await stage.post(`/api/runs/${third.run_id}/cancel`);
    await stage.ended(third.run_id);
    return session_id;
  },
};

export const PEOPLE = { approval, "two-approvals": twoApprovals, deny, clarify, budget, cancel };
