// A run that waits for a person, as a runner leaves it in the journal, for tests of answers.
import * as d from "../drafts.ts";
import * as s from "../../../src/kernel/journal/contract/store.contract.ts";
import type { Draft } from "../../../src/kernel/events/events.ts";
import { openConsole, type Reply } from "../../../src/windows/console/test-support.ts";

type Asking = Extract<Draft, { type: "approval.requested" }>;

/** As a runner names and asks it. */
export function approval(
  runId: string,
  call: string,
  payload: Partial<Asking["payload"]> = {},
): Asking {
  const asked = d.approvalAsked(call) as Asking;
  return {
    ...asked,
    payload: { ...asked.payload, approval_id: `ap_${runId}_${call}`, ...payload },
  };
}

export async function waiting(...drafts: ((runId: string) => Draft)[]) {
  const console_ = await openConsole();
  const runId = await s.start(console_.journal, { message: "hello" });
  const claim = await s.claimed(console_.journal);
  const asked = drafts.map((draft) => draft(runId));
  await s.write(console_.journal, claim, d.started(), d.turnStarted(1), d.intent("c1"), ...asked);
  return { ...console_, runId, claim };
}

/** A question, and a request about an unknown outcome. */
export const QUESTIONS: ((runId: string) => Draft)[] = [
  (runId) => d.clarifyAsked(`cl_${runId}_c1`, "c1"),
  () => d.intent("c2"),
  () => d.toolStarted("c2"),
  (runId) => {
    const unknown = d.outcomeUnknown("c2") as Extract<Draft, { type: "tool.outcome_unknown" }>;
    return { ...unknown, payload: { ...unknown.payload, request_id: `un_${runId}_c2_1` } };
  },
];

export const pendingIn = ({ data }: Reply) => data["pending"] as Record<string, unknown>[];
