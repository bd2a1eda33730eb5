// The daemon's notifications as schemas. The types of events.ts and the definitions in protocol.schema.json come from
// here. The page must not load this file.
import { z } from "zod";

const session = { sessionId: z.string() };
const timestamp = z.string().describe("ISO 8601");
const plan = { planId: z.string() };
const parentStepId = z.string().optional().describe("the `stepId` of the plan's running step");
const turn = {
  ...session,
  requestId: z.string(),
  turnNumber: z.int().describe("from 1"),
};
const step = {
  ...plan,
  stepId: z.string().describe("what `parentStepId` names"),
  stepIndex: z.int().describe("from 1"),
};
const said = z.object({ delta: z.string(), parentStepId });

export const DAEMON_PARAMS = {
  "stream.session_started": z.object({
    ...session,
    model: z.string(),
    timestamp,
    projectPath: z.string().optional(),
  }),
  "stream.session_ended": z.object({ ...session, timestamp, reason: z.string() }),
  "stream.turn_started": z.object({ ...turn, timestamp }),
  "stream.turn_completed": z.object({
    ...turn,
    durationMs: z.number(),
    toolCount: z.int(),
    timestamp,
    stopReason: z.string().optional(),
  }),
  "stream.thinking": said,
  "stream.text": said,
  "stream.tool_use": z.object({
    id: z.string(),
    name: z.string(),
    summary: z.string().optional(),
    parentStepId,
  }),
  "stream.tool_completed": z.object({
    id: z.string(),
    name: z.string(),
    durationMs: z.number(),
    isError: z.boolean(),
    error: z.string().optional().describe("at most 160 characters"),
  }),
  "stream.heartbeat": z.object({ phase: z.string() }),
  "stream.error": z.object({ error: z.string() }),
  "stream.cancelled": z.object(session),
  "stream.budget_exhausted": z.object({
    ...session,
    reason: z.string(),
    elapsedMs: z.number(),
    extensionCount: z.int(),
    softLimitReached: z.boolean(),
  }),
  "stream.compaction": z.object({
    originalTokens: z.number(),
    compactedTokens: z.number(),
    phase: z.string(),
  }),
  "stream.subagent.start": z.object({ agentType: z.string(), prompt: z.string() }),
  "stream.subagent.end": z.object({ agentType: z.string() }),
  "stream.usage": z.object({
    inputTokens: z.number(),
    totalInputTokens: z.number().describe("the session's so far, with its subagents"),
    totalOutputTokens: z.number(),
  }),
  "stream.gate": z.object({
    ...session,
    tool: z.string(),
    gate: z.string(),
    action: z.string(),
    ruleId: z.string().optional(),
    reason: z.string().optional(),
    fallback: z.string().optional(),
    override: z.boolean(),
    overrideTtlSeconds: z.number().optional(),
    overrideReason: z.string().optional(),
  }),
  "stream.plan_created": z.object({
    ...plan,
    stepCount: z.int(),
    goal: z.string().describe("at most 200 characters"),
    steps: z.array(z.object({ index: z.int(), name: z.string(), description: z.string() })),
    resumed: z.boolean().optional(),
    resumedFromStep: z.int().optional(),
  }),
  "stream.plan_step_started": z.object({ ...step, totalSteps: z.int(), stepName: z.string() }),
  "stream.plan_step_completed": z.object({
    ...step,
    stepName: z.string(),
    success: z.boolean(),
    durationMs: z.number(),
    tokensUsed: z.number(),
  }),
  "stream.plan_step_fallback": z.object({
    ...session,
    ...step,
    fallbackApproach: z.string(),
    attempt: z.int(),
  }),
  "stream.plan_replanned": z.object({
    ...plan,
    replanAttempt: z.int(),
    newStepCount: z.int(),
    rationale: z.string(),
    resumed: z.boolean().optional(),
  }),
  "stream.plan_completed": z.object({
    ...plan,
    success: z.boolean(),
    totalDurationMs: z.number(),
    stepsCompleted: z.int(),
    totalSteps: z.int(),
    resumed: z.boolean().optional(),
  }),
  "stream.plan_escalated": z.object({ ...plan, reason: z.string() }),
  "permission.request": z.object({
    tool: z.string(),
    description: z.string(),
    requestId: z.string(),
    toolUseId: z.string().optional(),
  }),
  /** One that nobody answered in time, or that ended with its run, was not approved. */
  "permission.response": z.object({
    requestId: z.string(),
    approved: z.boolean(),
    via: z.string().describe("who answered, or why nobody did"),
  }),
} as const;

const events = Object.entries(DAEMON_PARAMS).map(([method, params]) =>
  z.object({ method: z.literal(method), params }),
);
type AnyEvent = (typeof events)[number];

export const DaemonEvent = z.discriminatedUnion("method", events as [AnyEvent, ...AnyEvent[]]);
export const DaemonEnvelope = z.object({
  eventId: z.int().describe("the session's own number; it never goes back"),
  sessionId: z.string(),
  receivedAt: timestamp,
  event: DaemonEvent,
});
