// What the daemon's clients read: flat facts in an envelope, and no word about a tree. Clients make
// their own (test/clients/execution-tree makes one). Names and optional fields are exactly the document's and its
// real client's; a field more would be ignored, a field less is dropped by the client without a sound.
import type { z } from "zod";
import type { DAEMON_PARAMS } from "./schema.ts";

export type DaemonParams = {
  [Method in keyof typeof DAEMON_PARAMS]: z.infer<(typeof DAEMON_PARAMS)[Method]>;
};

/**
 * The `phase` of a heartbeat: a model is asked once more, within the same turn. It is the only sign that
 * what is said next is not the rest of what was said before.
 */
export const MODEL_CALL = "model_call";

export type DaemonMethod = keyof DaemonParams;

/** Of daemons that answer under another name than the document's; clients of them listen for it. */
type OtherMethod = "permission.cancelled";

/** Every method we know. An extension is not let out under one of these names. */
export const DAEMON_METHODS: Readonly<Record<DaemonMethod | OtherMethod, true>> = {
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
  "permission.response": true,
  "permission.cancelled": true,
};

/** The document's union: every notification of ours. */
export type DaemonEvent<Method extends DaemonMethod = DaemonMethod> = {
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
