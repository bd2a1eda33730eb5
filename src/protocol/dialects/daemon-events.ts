// What the daemon's clients read: flat facts in an envelope, and no word about a tree. Clients make
// their own (execution-tree.ts makes one). Names and optional fields are exactly the document's and its
// real client's; a field more would be ignored, a field less is dropped by the client without a sound.

export type DaemonParams = {
  "stream.session_started": {
    sessionId: string;
    model: string;
    timestamp: string; // ISO 8601, like all of them
    projectPath?: string;
  };
  "stream.session_ended": { sessionId: string; timestamp: string; reason: string };
  "stream.turn_started": {
    sessionId: string;
    requestId: string;
    turnNumber: number; // from 1
    timestamp: string;
  };
  "stream.turn_completed": {
    sessionId: string;
    requestId: string;
    turnNumber: number;
    durationMs: number;
    toolCount: number;
    timestamp: string;
    stopReason?: string;
  };
  "stream.thinking": { delta: string; parentStepId?: string };
  "stream.text": { delta: string; parentStepId?: string };
  "stream.tool_use": { id: string; name: string; summary?: string; parentStepId?: string };
  "stream.tool_completed": {
    id: string;
    name: string;
    durationMs: number;
    isError: boolean;
    error?: string; // at most 160 characters
  };
  "stream.heartbeat": { phase: string };
  "stream.error": { error: string };
  "stream.cancelled": { sessionId: string };
  "stream.budget_exhausted": {
    sessionId: string;
    reason: string;
    elapsedMs: number;
    extensionCount: number;
    softLimitReached: boolean;
  };
  "stream.compaction": { originalTokens: number; compactedTokens: number; phase: string };
  "stream.subagent.start": { agentType: string; prompt: string };
  "stream.subagent.end": { agentType: string };
  /** Totals are the session's so far, subagents included. */
  "stream.usage": { inputTokens: number; totalInputTokens: number; totalOutputTokens: number };
  "stream.gate": {
    sessionId: string;
    tool: string;
    gate: string;
    action: string;
    ruleId?: string;
    reason?: string;
    fallback?: string;
    override: boolean;
    overrideTtlSeconds?: number;
    overrideReason?: string;
  };
  "stream.plan_created": {
    planId: string;
    stepCount: number;
    goal: string; // at most 200 characters
    steps: readonly { index: number; name: string; description: string }[];
    resumed?: boolean;
    resumedFromStep?: number;
  };
  "stream.plan_step_started": {
    planId: string;
    stepId: string;
    stepIndex: number; // from 1
    totalSteps: number;
    stepName: string;
  };
  "stream.plan_step_completed": {
    planId: string;
    stepId: string;
    stepIndex: number;
    stepName: string;
    success: boolean;
    durationMs: number;
    tokensUsed: number;
  };
  "stream.plan_step_fallback": {
    sessionId: string;
    planId: string;
    stepId: string;
    stepIndex: number;
    fallbackApproach: string;
    attempt: number;
  };
  "stream.plan_replanned": {
    planId: string;
    replanAttempt: number;
    newStepCount: number;
    rationale: string;
    resumed?: boolean;
  };
  "stream.plan_completed": {
    planId: string;
    success: boolean;
    totalDurationMs: number;
    stepsCompleted: number;
    totalSteps: number;
    resumed?: boolean;
  };
  "stream.plan_escalated": { planId: string; reason: string };
  "permission.request": {
    tool: string;
    description: string;
    requestId: string;
    toolUseId?: string;
  };
  "permission.cancelled": { requestId: string; approved: boolean; via: string };
};

/**
 * The `phase` of a heartbeat: a model is asked once more, within the same turn. It is the only sign that
 * what is said next is not the rest of what was said before.
 */
export const MODEL_CALL = "model_call";

export type DaemonMethod = keyof DaemonParams;

/** Every method we know. An extension is not let out under one of these names. */
export const DAEMON_METHODS: Readonly<Record<DaemonMethod, true>> = {
  "stream.session_started": true,
  "stream.session_ended": true,
  "stream.turn_started": true,
  "stream.turn_completed": true,
  "stream.thinking": true,
  "stream.text": true,
  "stream.tool_use": true,
  "stream.tool_completed": true,
  "stream.heartbeat": true,
  "stream.error": true,
  "stream.cancelled": true,
  "stream.budget_exhausted": true,
  "stream.compaction": true,
  "stream.subagent.start": true,
  "stream.subagent.end": true,
  "stream.usage": true,
  "stream.gate": true,
  "stream.plan_created": true,
  "stream.plan_step_started": true,
  "stream.plan_step_completed": true,
  "stream.plan_step_fallback": true,
  "stream.plan_replanned": true,
  "stream.plan_completed": true,
  "stream.plan_escalated": true,
  "permission.request": true,
  "permission.cancelled": true,
};

type DaemonEvent<Method extends DaemonMethod = DaemonMethod> = {
  [Each in Method]: { readonly method: Each; readonly params: Readonly<DaemonParams[Each]> };
}[Method];

/** Of an extension, or of a newer build: passed on as it is. */
export type ForeignDaemonEvent = {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
};

export type DaemonEnvelope = {
  readonly eventId: number; // session_seq: never goes backwards, whatever restarts
  readonly sessionId: string;
  readonly receivedAt: string;
  readonly event: DaemonEvent | ForeignDaemonEvent;
};
