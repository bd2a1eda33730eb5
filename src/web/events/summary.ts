// An event in one line: what a reader looks for first in its payload.
import { matchEvent, type EventHandlers } from "../../kernel/events/event-table.ts";
import type { RunEvent } from "../../kernel/events/events.ts";
import { visibleLine } from "../../kernel/text/visible-text.ts";
import { duration, plural } from "../text/format.ts";

const LIMIT = 200; // characters: more is one click away

export function summaryOf(event: RunEvent): string {
  const known = matchEvent(SUMMARY, event);
  return visibleLine((known ?? raw(event.payload)).slice(0, LIMIT));
}

function raw(payload: unknown): string {
  return JSON.stringify(payload)?.slice(0, LIMIT) ?? "";
}

const joined = (...parts: (string | number | null | undefined | false)[]) =>
  parts
    .filter((part) => part !== null && part !== undefined && part !== "" && part !== false)
    .join(" · ");
const tokens = (count: number | null) => count !== null && plural(count, "token");

/** An event that is not here is shown as its payload. */
const SUMMARY: EventHandlers<[], string> = {
  "session.created": ({ payload }) => joined(payload.title, payload.model, payload.workspace),
  "session.rewound": ({ payload }) => joined(payload.reason, plural(payload.run_ids.length, "run")),
  "title.updated": ({ payload }) => joined(payload.title, payload.source),
  "message.user": ({ payload }) => joined(payload.mode !== "start" && payload.mode, payload.text),
  "message.edited": ({ payload }) => payload.text ?? "taken back",
  "run.queued": ({ payload }) => joined(payload.model, payload.depth > 0 && "subagent"),
  "run.started": ({ payload }) => joined(payload.runner_id, payload.model, payload.sandbox),
  status: ({ payload }) => joined(payload.status, payload.reason),
  "turn.started": ({ payload }) =>
    joined(
      `turn ${payload.index}`,
      payload.attempt > 1 && `attempt ${payload.attempt}`,
      payload.model,
    ),
  "turn.completed": ({ payload }) => joined(payload.turn_id, payload.finish_reason),
  "turn.superseded": ({ payload }) => joined(payload.turn_id, payload.reason, payload.message),
  "token.delta": ({ payload }) => JSON.stringify(payload.delta),
  "message.completed": ({ payload }) =>
    joined(
      payload.text,
      payload.tool_calls.length > 0 && plural(payload.tool_calls.length, "call"),
    ),
  "reasoning.delta": ({ payload }) => JSON.stringify(payload.delta),
  "reasoning.done": ({ payload }) => joined(duration(payload.duration_ms), payload.text),
  progress: ({ payload }) => joined(payload.phase, payload.message),
  "tool.intent": ({ payload }) => joined(payload.name, payload.risk, raw(payload.plan.arguments)),
  "tool.replanned": ({ payload }) => joined(payload.by, raw(payload.plan.arguments)),
  "tool.started": ({ payload }) =>
    joined(payload.name, payload.attempt > 1 && `attempt ${payload.attempt}`),
  "tool.updated": ({ payload }) => joined(payload.channel, JSON.stringify(payload.delta)),
  "tool.done": ({ payload }) =>
    joined(
      payload.name,
      payload.status,
      payload.exit_code !== null && `exit ${payload.exit_code}`,
      duration(payload.duration_ms),
      payload.error?.message,
    ),
  "tool.outcome_unknown": ({ payload }) => joined(payload.name, payload.message),
  "approval.requested": ({ payload }) => joined(payload.title, payload.risk, payload.prompt),
  "approval.resolved": ({ payload }) =>
    joined(payload.status, payload.choice, `by ${payload.by}`, payload.feedback),
  "clarify.requested": ({ payload }) => joined(payload.question, payload.choices.join(" | ")),
  "clarify.resolved": ({ payload }) => joined(payload.status, payload.response, `by ${payload.by}`),
  "todo.updated": ({ payload }) =>
    joined(
      plural(payload.items.length, "item"),
      payload.items.map(({ content }) => content).join("; "),
    ),
  "plan.created": ({ payload }) => joined(payload.goal, plural(payload.steps.length, "step")),
  "plan.step_started": ({ payload }) =>
    joined(`${payload.index} of ${payload.total}`, payload.name),
  "plan.step_completed": ({ payload }) =>
    joined(payload.name, payload.success ? "done" : "failed", duration(payload.duration_ms)),
  "plan.step_fallback": ({ payload }) => joined(payload.name, payload.approach),
  "plan.replanned": ({ payload }) =>
    joined(payload.rationale, plural(payload.steps.length, "step")),
  "plan.completed": ({ payload }) =>
    joined(
      payload.success ? "done" : "failed",
      `${payload.steps_completed} of ${payload.total_steps}`,
    ),
  "plan.escalated": ({ payload }) => payload.reason,
  "subagent.started": ({ payload }) => joined(payload.title, payload.child_run_id),
  "subagent.completed": ({ payload }) => joined(payload.title, payload.status, payload.summary),
  compaction: ({ payload }) =>
    joined(payload.phase, `${payload.original_tokens} to ${payload.compacted_tokens} tokens`),
  "usage.updated": ({ payload }) => joined(payload.model, tokens(payload.total_tokens)),
  "usage.final": ({ payload }) => joined(payload.model, tokens(payload.total_tokens)),
  "queue.updated": ({ payload }) => plural(payload.items.length, "message waits", "messages wait"),
  "goal.updated": ({ payload }) => joined(payload.action, payload.text),
  "goal.decided": ({ payload }) => joined(payload.decision, payload.reason),
  "checkpoint.created": ({ payload }) =>
    joined(payload.label, plural(payload.files.length, "file")),
  "files.changed": ({ payload }) => payload.changes.map(({ path }) => path).join(", "),
  "process.started": ({ payload }) => joined(payload.process_id, payload.command),
  "process.output": ({ payload }) => JSON.stringify(payload.text.slice(0, LIMIT)),
  "process.asked": ({ payload }) =>
    joined(payload.process_id, payload.action, payload.text.slice(0, LIMIT)),
  "process.exited": ({ payload }) =>
    joined(payload.process_id, `exit ${payload.exit_code ?? payload.signal}`),
  received: ({ payload }) => joined(payload.subtype, payload.reference),
  recovery: ({ payload }) => joined(`attempt ${payload.attempt}`, payload.message),
  error: ({ payload }) => joined(payload.code, payload.message),
  done: ({ payload }) =>
    joined(
      payload.status,
      tokens(payload.usage.total_tokens),
      payload.error?.message,
      payload.result,
    ),
};
