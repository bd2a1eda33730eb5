// Requests to a person in a run's state. A request lives in `pending` until it is answered, and on
// the call that asked for ever, so everyone sees who decided what.
import type { EventHandlers } from "../../../events/event-table.ts";
import type { Item, RequestAnswer, RequestState } from "../items.ts";
import { asTool } from "./tool.ts";
import { BUDGET_CONTINUE, isBudgetRequest } from "../../../events/budget.ts";
import { addItem, closeItem, updateOpen } from "../draft.ts";
import type { RunDraft } from "../state.ts";

export const humanCases = {
  "approval.requested": ({ payload, created_at }, draft) => {
    const { plan, plan_hash: planHash } = payload; // with the contents of the files it executes
    updateOpen(
      draft,
      payload.call_id,
      asTool((tool) => ({ ...tool, plan, planHash })),
    );
    ask(draft, {
      id: payload.approval_id,
      kind: "approval",
      callId: payload.call_id,
      title: payload.title,
      prompt: payload.prompt,
      choices: payload.choices,
      freeText: false,
      planHash: payload.plan_hash,
      reason: payload.reason ?? null,
      always: payload.always ?? null,
      ...(payload.wider && { wider: payload.wider }),
      expiresAt: payload.expires_at,
      at: created_at,
      answer: null,
    });
  },

  "approval.resolved": ({ payload, created_at }, draft) => {
    settle(draft, payload.approval_id, {
      status: payload.status,
      choice: payload.choice,
      feedback: payload.feedback,
      by: payload.by,
      at: created_at,
    });
  },

  "clarify.requested": ({ payload, created_at }, draft) => {
    ask(draft, {
      id: payload.clarify_id,
      kind: "clarify",
      callId: payload.call_id,
      title: "A question for you",
      prompt: payload.question,
      choices: payload.choices,
      freeText: payload.input_mode !== "choice",
      planHash: null,
      reason: null,
      always: null,
      expiresAt: payload.expires_at,
      at: created_at,
      answer: null,
    });
  },

  "clarify.resolved": ({ payload, created_at }, draft) => {
    if (isBudgetRequest(payload.clarify_id)) {
      if (payload.response === BUDGET_CONTINUE) draft.budgetRaises += 1;
      else draft.budgetStopped = true;
    }
    settle(draft, payload.clarify_id, {
      status: payload.status,
      choice: payload.response,
      feedback: null,
      by: payload.by,
      at: created_at,
    });
  },
} satisfies EventHandlers<[draft: RunDraft], void>;

function ask(draft: RunDraft, request: RequestState): void {
  draft.pending = { ...draft.pending, [request.id]: request };
  const status = request.kind === "approval" ? "awaiting_approval" : "awaiting_clarify";
  const shown =
    request.callId !== null &&
    updateOpen(
      draft,
      request.callId,
      asTool((tool) => ({ ...tool, status, request })),
    );
  if (shown) return;
  const item = { kind: "notice", tone: "warning", code: request.kind, at: request.at } as const;
  addItem(draft, { ...item, text: request.prompt, detail: null, request }, request.id);
}

function settle(draft: RunDraft, id: string, answer: RequestAnswer): void {
  const { [id]: request, ...pending } = draft.pending;
  if (!request) return;
  draft.pending = pending;
  const answered: RequestState = { ...request, answer };
  const shown =
    request.callId !== null &&
    updateOpen(
      draft,
      request.callId,
      asTool((tool) => ({ ...tool, status: "planned", request: answered })),
    );
  if (shown) return;
  updateOpen(draft, id, (item): Item =>
    item.kind === "notice" ? { ...item, request: answered } : item,
  );
  closeItem(draft, id);
}
