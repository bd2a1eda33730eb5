// Turns a request of the OpenAI formats into a run: its session, its idempotency key and the head of the response.
import { createHash } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { StartKey } from "../../kernel/journal/journal.ts";
import type { RunRecord } from "../../kernel/api/records/records.ts";
import { StartRun } from "../../kernel/events/commands.ts";
import { refuse } from "./wire/openai/input.ts";
import { ClientKey, SessionId } from "../../kernel/events/ids.ts";
import type { AppDeps } from "../../kernel/server/app.ts";
import { defaultsFor } from "../../kernel/server/defaults.ts";
import { V1Error } from "./v1-error.ts";
import { requireRun } from "./require-run.ts";

/** The session a client wants to go on in; there need be none of that name yet. */
export function sessionNamed(name: unknown, param: string): string | undefined {
  if (name === undefined || name === null) return undefined;
  const named = SessionId.safeParse(name);
  if (named.success) return named.data;
  return refuse(param, `A session's id is ${named.error.issues[0]?.message ?? "something else"}.`);
}

export function sessionHeader({ headers }: FastifyRequest): string | undefined {
  return sessionNamed(headers["x-hermes-session-id"], "X-Hermes-Session-Id");
}

/** What a client calls its user's conversations. Kept with the run and given back. */
export function sessionKey({ headers }: FastifyRequest): string | undefined {
  return visible(headers["x-hermes-session-key"], "X-Hermes-Session-Key", "invalid_value");
}

/** hermes-agent emits its own tools as `function_call`: its clients may ask for that. */
export function toolItems({ headers }: FastifyRequest): "function_call" | undefined {
  const value = headers["x-quarterdeck-tool-items"];
  if (value === undefined || value === "mcp_call") return undefined;
  if (value === "function_call") return value;
  return refuse("X-Quarterdeck-Tool-Items", "Either mcp_call or function_call.");
}

export function idempotencyKey({ headers }: FastifyRequest): string | undefined {
  return visible(headers["idempotency-key"], "Idempotency-Key", "invalid_idempotency_key");
}

function visible(value: unknown, name: string, code: string): string | undefined {
  if (value === undefined) return undefined;
  const key = ClientKey.safeParse(value);
  return key.success
    ? key.data
    : refuse(name, `${name} is 1 to 255 visible ASCII characters.`, code);
}

export function fingerprint(asked: unknown): string {
  return createHash("sha256").update(JSON.stringify(asked)).digest("hex");
}

/** Refuses what cannot be started, before anything is changed. `param`: what of the request it came from. */
export function requireCommand(command: object, param: string): StartRun {
  const parsed = StartRun.safeParse(command);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  return refuse(param, `${issue?.path.join(".") ?? param}: ${issue?.message ?? "does not match"}`);
}

/** The same request again, by its key, is the same run. */
export async function start(
  deps: AppDeps,
  command: StartRun,
  same: StartKey | undefined,
): Promise<RunRecord> {
  const defaults = await defaultsFor(deps, command.profile);
  const outcome = await deps.journal.commands.startRun(command, defaults, same);
  if (outcome.run_id === null) throw new V1Error(429, "queue_full", outcome.safe_message);
  return requireRun(deps.journal, outcome.run_id);
}

export function emitRun(request: FastifyRequest, reply: FastifyReply, run: RunRecord): void {
  reply.header("x-quarterdeck-run-id", run.run_id);
  reply.header("x-hermes-session-id", run.session_id);
  const key = sessionKey(request);
  if (key !== undefined) reply.header("x-hermes-session-key", key);
}
