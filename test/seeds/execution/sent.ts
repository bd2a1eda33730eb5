// E1 to E19: which events are sent, and when. Each that happened and that the document has a name for is told under
// that name, with what it says, and nothing else is.
import assert from "node:assert/strict";
import { ofRoots, storiesOf, type Native } from "./stories.ts";
import type { Fields, World } from "../hud/world.ts";
import type { Row } from "../suite.ts";

const scoped = ({ run_id, payload }: Native, name: string) => `${run_id}.${String(payload[name])}`;
const timeOf = ({ created_at }: Native) => new Date(created_at * 1000).toISOString();

type Says = (event: Native, before: readonly Native[]) => Fields;
type Sent = {
  readonly from: string;
  readonly says: Says;
  /** Which of them are told, where it is not all. */
  readonly which?: (event: Native, before: readonly Native[]) => boolean;
  /** Told at other moments, too, in a session in which this happened. */
  readonly alsoAt?: (happened: readonly Native[]) => boolean;
};

function sent(id: string, method: string, when: string, { from, says, ...more }: Sent): Row<World> {
  const { which = () => true, alsoAt = () => false } = more;
  return {
    id,
    says: `\`${method}\` is sent ${when}.`,
    check: async (world) => {
      let count = 0;
      for (const { happened, emitted } of await storiesOf(world)) {
        const roots = ofRoots(happened);
        const isIt = (event: Native, at: number) =>
          event.type === from && which(event, roots.slice(0, at));
        const found = roots.filter(isIt);
        for (const event of found) {
          const envelope = emitted.find(({ eventId }) => eventId === event.session_seq);
          assert.equal(envelope?.event.method, method, JSON.stringify(event));
          const before = happened.filter(({ session_seq }) => session_seq < event.session_seq);
          assert.partialDeepStrictEqual(envelope?.event.params, says(event, before));
        }
        count += found.length;
        const all = emitted.filter(({ event }) => event.method === method);
        if (!alsoAt(happened)) assert.equal(all.length, found.length, "and at no other moment");
      }
      assert.ok(count > 0, `no ${from}`);
    },
  };
}

const isFirst = ({ type, run_id }: Native, before: readonly Native[]) =>
  !before.some((other) => other.type === type && other.run_id === run_id);
const begunBy = ({ run_id }: Native, before: readonly Native[]) =>
  before.some(({ type, run_id: other }) => type === "run.started" && other === run_id);
const isCut = (happened: readonly Native[]) =>
  happened.some(({ type }) => type === "turn.superseded");
const isCall = ({ payload }: Native) => payload["name"] !== "plan"; // which has events of its own
const step = (event: Native) => ({
  planId: scoped(event, "plan_id"),
  stepIndex: event.payload["index"],
});
const sum = (events: readonly Native[], name: string) =>
  events.reduce((all, { payload }) => all + Number(payload[name] ?? 0), 0);

const HUMAN = { "approval.requested": "approval_id", "clarify.requested": "clarify_id" } as const;

export const SENT_ROWS: readonly Row<World>[] = [
  sent("E1", "stream.session_started", "when a session is created", {
    from: "session.created",
    says: (event) => ({
      sessionId: event.session_id,
      model: event.payload["model"],
      timestamp: timeOf(event),
    }),
  }),
  sent("E2", "stream.turn_started", "when a turn starts", {
    from: "run.started",
    which: isFirst,
    says: (event) => ({ sessionId: event.session_id, timestamp: timeOf(event) }),
  }),
  sent("E3", "stream.turn_completed", "when a turn ends", {
    from: "done",
    which: begunBy,
    says: (event) => ({ sessionId: event.session_id, timestamp: timeOf(event) }),
  }),
  sent("E4", "stream.text", "for text as the model says it", {
    from: "token.delta",
    which: (event, before) => !isCut(before.filter(({ run_id }) => run_id === event.run_id)),
    alsoAt: isCut, // an answer that was cut goes on where it was
    says: ({ payload: { delta } }) => ({ delta }),
  }),
  {
    id: "E5",
    says: "`stream.tool_use` is sent when a tool is called.",
    check: async (world) => {
      let count = 0;
      for (const { happened, emitted } of await storiesOf(world)) {
        const uses = emitted.filter(({ event }) => event.method === "stream.tool_use");
        const started = ofRoots(happened).filter(
          (event) => event.type === "tool.started" && isCall(event),
        );
        for (const event of started) {
          const id = scoped(event, "call_id");
          const found = uses.filter(({ event: { params } }) => params["id"] === id);
          assert.equal(found.length, 1, id);
          assert.equal(found[0]?.event.params["name"], event.payload["name"]);
          assert.ok(Number(found[0]?.eventId) <= event.session_seq, "not after it began");
        }
        count += started.length;
      }
      assert.ok(count > 20);
    },
  },
  sent("E6", "stream.tool_completed", "when a call ends", {
    from: "tool.done",
    which: isCall,
    says: (event) => {
      const { name, duration_ms, ok } = event.payload;
      const durationMs = Math.round(Number(duration_ms));
      return { id: scoped(event, "call_id"), name, durationMs, isError: ok !== true };
    },
  }),
  sent("E7", "stream.plan_created", "when a plan is made", {
    from: "plan.created",
    says: (event) => {
      const steps = event.payload["steps"] as readonly Fields[];
      const named = steps.map(({ index, name, description }) => ({ index, name, description }));
      return { planId: scoped(event, "plan_id"), stepCount: steps.length, steps: named };
    },
  }),
  sent("E8", "stream.plan_step_started", "when a step starts", {
    from: "plan.step_started",
    says: (event) => ({ ...step(event), stepName: event.payload["name"] }),
  }),
  sent("E9", "stream.plan_step_completed", "when a step ends", {
    from: "plan.step_completed",
    says: (event) => ({ ...step(event), success: event.payload["success"] }),
  }),
  sent("E10", "stream.plan_step_fallback", "when a step is tried another way", {
    from: "plan.step_fallback",
    says: (event) => {
      const { approach: fallbackApproach, attempt } = event.payload;
      return { ...step(event), fallbackApproach, attempt };
    },
  }),
  sent("E11", "stream.plan_replanned", "when a plan is changed", {
    from: "plan.replanned",
    says: (event) => {
      const { rationale, attempt: replanAttempt } = event.payload;
      return { planId: scoped(event, "plan_id"), rationale, replanAttempt };
    },
  }),
  sent("E12", "stream.plan_completed", "when a plan is completed", {
    from: "plan.completed",
    says: (event) => ({ planId: scoped(event, "plan_id"), success: event.payload["success"] }),
  }),
  sent("E13", "stream.plan_escalated", "when a plan is given back", {
    from: "plan.escalated",
    says: (event) => ({ planId: scoped(event, "plan_id"), reason: event.payload["reason"] }),
  }),
  sent("E14", "stream.subagent.start", "when a subagent starts", {
    from: "subagent.started",
    says: ({ payload: { title, prompt } }) => ({ agentType: title, prompt }),
  }),
  sent("E15", "stream.subagent.end", "when a subagent ends", {
    from: "subagent.completed",
    says: ({ payload: { title } }) => ({ agentType: title }),
  }),
  sent("E16", "stream.compaction", "when the context is compacted", {
    from: "compaction",
    which: ({ payload }) => payload["phase"] !== "started",
    says: ({ payload: { original_tokens, compacted_tokens } }) => ({
      originalTokens: original_tokens,
      compactedTokens: compacted_tokens,
    }),
  }),
  sent("E17", "stream.usage", "when tokens were used", {
    from: "usage.updated",
    alsoAt: () => true, // a subagent's, too
    says: (event, before) => {
      const used = [...before.filter(({ type }) => type === event.type), event];
      return {
        inputTokens: event.payload["input_tokens"] ?? 0,
        totalInputTokens: sum(used, "input_tokens"),
        totalOutputTokens: sum(used, "output_tokens"),
      };
    },
  }),
  sent("E18", "stream.heartbeat", "while a turn goes on", {
    from: "turn.started",
    which: (event, before) => begunBy(event, before) && event.payload["attempt"] === 1,
    alsoAt: () => true, // whenever its status changes
    says: () => ({ phase: "model_call" }),
  }),
  {
    id: "E19",
    says: "`permission.request` is sent when a person has to decide.",
    check: async (world) => {
      let count = 0;
      for (const { happened, emitted } of await storiesOf(world)) {
        for (const event of happened) {
          const name = HUMAN[event.type as keyof typeof HUMAN];
          if (name === undefined) continue;
          const envelope = emitted.find(({ eventId }) => eventId === event.session_seq);
          assert.equal(envelope?.event.method, "permission.request");
          const { requestId, description } = envelope?.event.params ?? {};
          assert.equal(requestId, event.payload[name]);
          const asked = String(event.payload["prompt"] ?? event.payload["question"]);
          assert.ok(String(description).includes(asked), "what exactly");
          count += 1;
        }
      }
      assert.ok(count > 2);
    },
  },
];
