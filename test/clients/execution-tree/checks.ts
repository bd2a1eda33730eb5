// Which envelopes a client takes. One that lacks what its handler cannot do without is dropped whole,
// without moving the watermark: a later snapshot may bring it as it should have been.
import type { ForeignDaemonEvent } from "../../../src/windows/daemon/wire/events.ts";
import { own } from "../../../src/kernel/events/own.ts";

type Params = Readonly<Record<string, unknown>>;
type CheckedEnvelope = {
  readonly eventId: number;
  readonly sessionId: string;
  readonly receivedAt: string;
  readonly event: ForeignDaemonEvent;
};

const strings =
  (...names: readonly string[]) =>
  (params: Params): boolean =>
    names.every((name) => typeof params[name] === "string");
const numbers =
  (...names: readonly string[]) =>
  (params: Params): boolean =>
    names.every((name) => typeof params[name] === "number");
const all =
  (...checks: readonly ((params: Params) => boolean)[]) =>
  (params: Params): boolean =>
    checks.every((check) => check(params));

const NEEDED: Readonly<Record<string, (params: Params) => boolean>> = {
  "permission.request": strings("requestId", "description", "tool"),
  "stream.tool_use": strings("id", "name"),
  "stream.tool_completed": all(strings("id", "name"), numbers("durationMs")),
  "stream.turn_started": all(strings("requestId"), numbers("turnNumber")),
  "stream.turn_completed": all(strings("requestId"), numbers("turnNumber", "durationMs")),
  "stream.session_started": strings("sessionId", "model"),
  "stream.session_ended": strings("sessionId", "timestamp", "reason"),
  "stream.plan_created": all(strings("planId"), ({ steps }) => Array.isArray(steps)),
  "stream.plan_step_started": all(strings("planId", "stepName"), numbers("stepIndex")),
  "stream.plan_step_completed": all(
    strings("planId"),
    numbers("stepIndex"),
    ({ success }) => typeof success === "boolean",
  ),
  "stream.subagent.start": strings("agentType"),
};

/** Undefined: to be dropped. */
export function checkEnvelope(value: unknown): CheckedEnvelope | undefined {
  if (!isRecord(value) || !isRecord(value["event"])) return undefined;
  const { eventId, sessionId, receivedAt } = value;
  const { method, params } = value["event"];
  if (typeof eventId !== "number" || !Number.isFinite(eventId)) return undefined;
  if (typeof sessionId !== "string" || typeof receivedAt !== "string") return undefined;
  if (typeof method !== "string" || !isRecord(params)) return undefined;
  const check = own(NEEDED, method);
  if (check && !check(params)) return undefined;
  return { eventId, sessionId, receivedAt, event: { method, params } };
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
