// Which calls wait for a person, and how they ask. The answer is bound to the plan's hash: what was
// shown is what runs.
import type { ApprovalChoice } from "../protocol/catalogue/human.ts";
import type { Risk } from "../protocol/catalogue/tools.ts";
import type { Draft } from "../protocol/events.ts";
import type { ToolItem } from "../protocol/run-items.ts";
import { statusDraft } from "../protocol/status-draft.ts";
import type { RunLog } from "./run-log.ts";

const ASKS: Record<Risk, boolean> = { none: false, read: false, write: false, execute: true };
const CHOICES: ApprovalChoice[] = ["once", "session", "deny"];

export async function needsApproval(log: RunLog, item: ToolItem): Promise<boolean> {
  if (!ASKS[item.risk]) return false;
  return !(await log.journal.granted(log.claim.sessionId, item.planHash));
}

export function approvalDrafts(log: RunLog, item: ToolItem): Draft[] {
  return [
    {
      type: "approval.requested",
      payload: {
        approval_id: `ap_${log.claim.runId}_${item.callId}`,
        call_id: item.callId,
        title: `Allow ${item.name}?`,
        prompt: item.label,
        risk: item.risk,
        plan: item.plan,
        plan_hash: item.planHash,
        choices: CHOICES,
        expires_at: null,
      },
    },
    statusDraft("awaiting_approval"),
  ];
}
