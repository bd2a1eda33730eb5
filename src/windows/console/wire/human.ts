// Requests to a person in the console's stream. A subagent's requests look like any other.
import { scoped } from "../../../kernel/dialect/call-index.ts";
import { emit, type ConsoleState, type Frames, type Handlers } from "./frame.ts";
import {
  consoleChoice,
  requestIdOf,
  requestOf,
  type Asked,
  type ConsoleRequest,
} from "./requests.ts";
import { own } from "../../../kernel/events/own.ts";

export const consoleHuman = {
  "approval.requested": (event, state) => ask(state, event),
  "clarify.requested": (event, state) => ask(state, event),
  "tool.outcome_unknown": (event, state) => ask(state, event),

  "approval.resolved": (event, state) => {
    const { approval_id, call_id, choice, status, feedback, by } = event.payload;
    delete state.requests[approval_id];
    return emit(state, event, "approval.resolved", {
      request_id: approval_id,
      kind: "approval",
      request_kind: "approval",
      tool_call_id: scoped(event, call_id),
      decision: choice,
      choice: choice === null ? null : consoleChoice(choice),
      status,
      feedback,
      by,
    });
  },
  "clarify.resolved": (event, state) => {
    const { clarify_id, call_id, response, status, by } = event.payload;
    const request_kind = own(state.requests, clarify_id)?.kind ?? "clarify";
    delete state.requests[clarify_id];
    return emit(state, event, "clarify.resolved", {
      request_id: clarify_id,
      kind: "clarify",
      request_kind,
      tool_call_id: call_id === null ? null : scoped(event, call_id),
      response,
      status,
      by,
    });
  },
} satisfies Handlers;

const TYPES: Readonly<Record<ConsoleRequest["kind"], string>> = {
  approval: "approval.requested",
  clarify: "clarify.requested",
};

function ask(state: ConsoleState, event: Asked): Frames {
  const request = requestOf(event);
  state.requests[requestIdOf(event)] = { runId: event.run_id, kind: request.request_kind };
  return emit(state, event, TYPES[request.kind], request);
}
