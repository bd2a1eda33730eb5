// Requests and answers in the daemon's words. Nothing that waits is ever left out, whoever asks; where
// several wait at one call, the client can show one, and is shown the next when that is answered.
import { isBudgetRequest } from "../../../kernel/events/budget.ts";
import type { EventHandlers } from "../../../kernel/events/event-table.ts";
import type { EventOf } from "../../../kernel/events/events.ts";
import { NOTHING } from "../../../kernel/dialect/dialect.ts";
import type { DaemonEnvelope } from "./events.ts";
import { describeQuestion } from "./requests.ts";
import { runOf, emit, emitCall, toolUseIdOf, type Asked, type DaemonState } from "./state.ts";
import { own } from "../../../kernel/events/own.ts";
import { buttonsOf } from "../../../kernel/dialect/deny-word.ts";
import { preview } from "../../../kernel/dialect/preview.ts";

const MAX_KEPT = 2_000;

export const humanTable = {
  "approval.requested": (event, state) => {
    const { approval_id, call_id, plan, prompt } = event.payload;
    return ask(event, state, { id: approval_id, call_id, tool: plan.tool, description: prompt });
  },

  "tool.outcome_unknown": (event, state) => {
    const { request_id, call_id, name, message, choices } = event.payload;
    const description = describeQuestion(message, "unknown_outcome", choices);
    const { deny } = buttonsOf("unknown_outcome", choices);
    return ask(event, state, { id: request_id, call_id, tool: name, description, deny });
  },

  "clarify.requested": (event, state) => {
    const { clarify_id, call_id, question, choices } = event.payload;
    const run = runOf(state, event);
    const budget = isBudgetRequest(clarify_id);
    if (budget && run) {
      run.budgets += 1;
      run.budgetReason = preview(question);
    }
    const description = describeQuestion(question, "clarify", choices);
    const { deny } = buttonsOf("clarify", choices);
    const tool = budget ? "budget" : "clarify";
    return ask(event, state, { id: clarify_id, call_id, tool, description, deny });
  },

  "approval.resolved": (event, state) => {
    const { approval_id, status, by } = event.payload;
    return settle(event, state, { id: approval_id, status, by, yes: status === "approved" });
  },

  "clarify.resolved": (event, state) => {
    const { clarify_id, status, by, response } = event.payload;
    const yes = status === "answered" && response !== own(state.requests, clarify_id)?.deny;
    return settle(event, state, { id: clarify_id, status, by, yes });
  },
} satisfies EventHandlers<[state: DaemonState], readonly DaemonEnvelope[]>;

type Asking = EventOf<"approval.requested" | "clarify.requested" | "tool.outcome_unknown">;
type Question = Pick<Asked, "tool" | "description" | "deny"> & {
  id: string;
  call_id: string | null;
};

function ask(event: Asking, state: DaemonState, { id, call_id, ...question }: Question) {
  const { tool, description } = question;
  const toolUseId = toolUseIdOf(state, event, call_id);
  const call = toolUseId === null ? undefined : own(state.calls, toolUseId);
  // A client keeps a request at a call it does not know out of sight: it stands at the turn then.
  const canBeEmitted = call && (call.emitted || runOf(state, event) !== undefined);
  const at = toolUseId !== null && canBeEmitted ? { toolUseId } : {};
  const kept = description.slice(0, MAX_KEPT);
  state.requests[id] = { ...question, description: kept, runId: event.run_id, ...at };
  // A call that waited for others is told with the status that always follows; clients keep its request so long.
  if (at.toolUseId !== undefined && call?.emitted === false) state.asking = at.toolUseId;
  return emit(event, "permission.request", { tool, description, requestId: id, ...at });
}

type Answer = { id: string; status: string; by: string; yes: boolean };

function settle(
  event: EventOf<"approval.resolved" | "clarify.resolved">,
  state: DaemonState,
  { id, status, by, yes }: Answer,
): readonly DaemonEnvelope[] {
  const asked = own(state.requests, id);
  if (!asked) return NOTHING; // settled before: the first answer is the one that counts
  delete state.requests[id];
  state.showAgain = waitingAt(state, asked.toolUseId)?.[0] ?? null;
  const answered = status === "approved" || status === "denied" || status === "answered";
  const via = answered ? (by === DAEMON ? "websocket" : by) : status;
  return emit(event, "permission.response", { requestId: id, approved: yes, via });
}

/** Who answers in this window, in the journal. */
export const DAEMON = "daemon";

function waitingAt(state: DaemonState, toolUseId: string | undefined): [string, Asked] | undefined {
  return Object.entries(state.requests).find(([, asked]) => asked.toolUseId === toolUseId);
}

/** Comes with the status that follows an answer: what still waits at the same call. */
export function showAgain(
  event: EventOf<"status">,
  state: DaemonState,
): readonly DaemonEnvelope[] | undefined {
  const requestId = state.showAgain;
  state.showAgain = null;
  const asked = requestId === null ? undefined : own(state.requests, requestId);
  if (requestId === null || !asked) return undefined;
  const { tool, description, toolUseId } = asked;
  const at = toolUseId === undefined ? {} : { toolUseId };
  return emit(event, "permission.request", { tool, description, requestId, ...at });
}

/** Comes with the status that follows a request: the call that asks, where nobody knew of it. */
export function showAsking(
  event: EventOf<"status">,
  state: DaemonState,
): readonly DaemonEnvelope[] {
  const id = state.asking;
  if (id === null || !id.startsWith(`${event.run_id}.`)) return NOTHING;
  state.asking = null;
  return emitCall(event, state, id);
}

/** A run that has ended waits for nothing. */
export function forgetRequests(state: DaemonState, runId: string): void {
  for (const [id, { runId: of }] of Object.entries(state.requests)) {
    if (of === runId) delete state.requests[id];
  }
}
