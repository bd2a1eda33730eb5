// What waits for a person, in the HUD window. The document has no request, so it is `received` with a
// subtype of our own and a label that any client shows: once while it waits, once when it is settled,
// also by the end of its run. A request is never hidden (W4).
import type { EventOf } from "../../../kernel/events/events.ts";
import type { EventHandlers } from "../../../kernel/events/event-table.ts";
import type { EmitOptions } from "../../../kernel/dialect/dialect.ts";
import { inTurn, keyOf, type OpenNodes } from "./open-nodes.ts";
import type { HudEvent, HudRecord } from "./events.ts";
import { callCorrelation, stamped, type AnyEvent, type HudBody } from "./ids.ts";
import { firstBytes, preview } from "./text.ts";

export type HudHandlers = EventHandlers<
  [nodes: OpenNodes, emitOptions: EmitOptions],
  readonly HudEvent[]
>;
type Asked = {
  readonly subtype: "approval" | "clarify" | "unknown_outcome";
  readonly id: string;
  readonly callId: string | null;
  readonly prompt: string;
  readonly choices: readonly string[];
  readonly more?: HudRecord;
};
const WAITING = {
  approval: "waiting for your approval",
  clarify: "waiting for your answer",
  unknown_outcome: "unknown outcome, waiting for you",
} as const;

function ask(nodes: OpenNodes, event: AnyEvent, asked: Asked): HudBody {
  const { subtype, id, callId, choices, more } = asked;
  const { run_id } = event;
  nodes.requests[keyOf(id)] = { runId: run_id, subtype };
  const { text: prompt, cut } = firstBytes(asked.prompt);
  const way = subtype === "approval" ? "approvals" : "clarifications";
  const payload = {
    request_id: id,
    status: "pending",
    run_id,
    ...(callId !== null && { correlationId: callCorrelation(run_id, callId) }),
    prompt,
    ...(cut && { truncated: true }),
    choices,
    ...more,
    href: `/api/runs/${run_id}/${way}/${encodeURIComponent(id)}`, // where it is answered
  };
  const label = `${WAITING[subtype]}: ${preview(prompt)}`;
  return { event: "received", subtype, label, payload, ...inTurn(nodes, event) };
}

type Settled = { readonly id: string; readonly status: string; readonly more?: HudRecord };

/** Nothing for a request that was settled before: the first answer stands. */
function settle(nodes: OpenNodes, event: AnyEvent, { id, status, more }: Settled): HudBody[] {
  const request = nodes.requests[keyOf(id)];
  if (!request) return [];
  delete nodes.requests[keyOf(id)];
  const { subtype, runId: run_id } = request;
  const label = `${subtype.replace("_", " ")} ${status}`;
  const payload = { request_id: id, status, run_id, ...more };
  return [{ event: "received", subtype, label, payload, ...inTurn(nodes, event) }];
}

/** Nobody can answer a run that has ended. */
export function settleAll(nodes: OpenNodes, event: EventOf<"done">): HudBody[] {
  return Object.entries(nodes.requests)
    .filter(([, { runId }]) => runId === event.run_id)
    .flatMap(([key]) => settle(nodes, event, { id: key.slice(1), status: "cancelled" }));
}

export const requestCases = {
  "approval.requested": (event, nodes, emitOptions) => {
    const { approval_id: id, call_id: callId, title, prompt, risk, choices } = event.payload;
    const { reason, always, expires_at } = event.payload;
    const more = {
      title,
      risk,
      ...(reason !== undefined && { reason }),
      ...(always && { always }),
      ...(expires_at !== null && { expires_at }),
    };
    const asked = { subtype: "approval", id, callId, prompt, choices, more } as const;
    return stamped(event, emitOptions, [ask(nodes, event, asked)]);
  },

  "approval.resolved": (event, nodes, emitOptions) => {
    const { approval_id: id, status, choice, feedback, by } = event.payload;
    const more = { choice, by, ...(feedback !== null && { feedback: preview(feedback, 500) }) };
    return stamped(event, emitOptions, settle(nodes, event, { id, status, more }));
  },

  "clarify.requested": (event, nodes, emitOptions) => {
    const { clarify_id: id, call_id: callId, question, choices, input_mode } = event.payload;
    const asked = { id, callId, prompt: question, choices, more: { input_mode } };
    return stamped(event, emitOptions, [ask(nodes, event, { subtype: "clarify", ...asked })]);
  },

  "clarify.resolved": (event, nodes, emitOptions) => {
    const { clarify_id: id, status, response, by } = event.payload;
    const more = { response: response === null ? null : preview(response, 500), by };
    return stamped(event, emitOptions, settle(nodes, event, { id, status, more }));
  },

  "tool.outcome_unknown": (event, nodes, emitOptions) => {
    const { request_id: id, call_id: callId, message: prompt, choices, name } = event.payload;
    const asked = { id, callId, prompt, choices, more: { tool: name } };
    return stamped(event, emitOptions, [
      ask(nodes, event, { subtype: "unknown_outcome", ...asked }),
    ]);
  },
} satisfies HudHandlers;
