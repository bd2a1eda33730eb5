// The standing goal: when a run has nothing left to do, its model decides whether the goal is met. The decision and
// its consequence are one append, so a crash cannot separate them.
import { z } from "zod";
import type { Draft, PayloadOf } from "../../events/events.ts";
import { directCall } from "../../events/direct.ts";
import { askSideQuestion } from "./side-question.ts";
import { ModelError, type Model } from "../models/model.ts";
import type { RunLog } from "../loop/run-log.ts";

const MAX_ROUNDS = 20;
const MAX_RESULT_CHARS = 16_384;
const SYSTEM =
  "You judge whether a standing goal has been reached. Answer with one JSON object and nothing else: " +
  '{"decision": "met" | "continue" | "blocked", "reason": "one sentence", "next": "what the agent should do next, only with continue"}. ' +
  "Say blocked when only the user can help.";

const Judgement = z.object({
  decision: z.enum(["met", "continue", "blocked"]),
  reason: z.string().max(2_000),
  next: z.string().max(8_192).nullish(),
});
type Decision = Omit<PayloadOf<"goal.decided">, "round" | "goal">;

/** True when something was appended: look at the state again before ending the run. */
export async function decideGoal(log: RunLog, model: () => Model): Promise<boolean> {
  if (log.state.parentRunId !== null || directCall(log.state)) return false;
  const session = await log.journal.reads.session(log.claim.sessionId);
  const goal = session?.goal;
  if (goal?.status !== "active") return false;
  const round = log.state.goalRounds + 1;
  const { decision, usage } = await judge(log, model(), { goal: goal.text, round });
  const drafts: Draft[] = [
    { type: "goal.decided", payload: { ...decision, goal: goal.text, round } },
  ];
  if (decision.decision === "continue") {
    const text = `[The standing goal is not met yet] ${decision.next ?? goal.text}`;
    const message_id = `goal_${log.claim.runId}_${round}`;
    const payload = { message_id, text, mode: "goal" as const, attachments: [] };
    drafts.push({ type: "message.user", payload });
  }
  if (await log.appendIfCurrent([...usage, ...drafts])) return true;
  // A person said something, or changed the goal: that goes first. What the judgement cost is told all the same.
  if (usage.length > 0) await log.append(usage);
  return true;
}

async function judge(
  log: RunLog,
  model: Model,
  { goal, round }: { goal: string; round: number },
): Promise<{ decision: Decision; usage: Draft[] }> {
  if (round > MAX_ROUNDS) {
    const reason = `The goal was looked at ${MAX_ROUNDS} times in this run.`;
    return { decision: { decision: "blocked", reason, next: null }, usage: [] };
  }
  const result = (log.state.result ?? "").slice(-MAX_RESULT_CHARS);
  const text = `The goal:\n${goal}\n\nThe agent's last words:\n${result}`;
  const aside = { kind: "goal", system: SYSTEM, text, runId: log.claim.runId } as const;
  try {
    const answer = await askSideQuestion(model, aside, log.signal);
    return { decision: parseDecision(answer.text), usage: [answer.usage] };
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    // The run's own work is done and stays done: only the goal waits.
    return { decision: { decision: "blocked", reason: error.message, next: null }, usage: [] };
  }
}

/** An answer that cannot be read is no yes: the goal waits for a person (B3). */
export function parseDecision(text: string): Decision {
  const json = /\{[^]*\}/.exec(text)?.[0] ?? "";
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    value = undefined;
  }
  const parsed = Judgement.safeParse(value);
  if (!parsed.success) {
    const reason = "The model's judgement could not be read.";
    return { decision: "blocked", reason, next: null };
  }
  const { decision, reason, next } = parsed.data;
  return { decision, reason, next: decision === "continue" ? (next ?? null) : null };
}
