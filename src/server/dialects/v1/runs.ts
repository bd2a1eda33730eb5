// `/v1/runs`: starting and reading runs, for gateway clients (`input`, SSE) and for the web UI's runner
// client (`message`, JSON polling on the same path). What to answer follows from `Accept`.
import { createHash } from "node:crypto";
import type { FastifyPluginAsync, FastifyRequest } from "fastify";
import { loadRun } from "../../../journal/load-run.ts";
import type { RunRecord } from "../../../protocol/api-records.ts";
import { Attachment } from "../../../protocol/catalogue/lifecycle.ts";
import { StartRun } from "../../../protocol/commands.ts";
import { parse } from "../../../protocol/errors.ts";
import type { RunEvent } from "../../../protocol/events.ts";
import { spokenIn, V1StartRun } from "../../../protocol/dialects/v1-bodies.ts";
import { hermesStatus } from "../../../protocol/dialects/v1-runs.ts";
import { controlsIn, isTerminal } from "../../../protocol/run-status.ts";
import type { AppDeps } from "../../app.ts";
import { defaultsFor } from "../../defaults.ts";
import { sessionAfter } from "./continue.ts";
import { runControls } from "./run-controls.ts";
import { runEvents } from "./run-events.ts";
import { runIdOf, wantRun } from "./want-run.ts";
import { V1Error } from "./v1-error.ts";

export function v1Runs(deps: AppDeps): FastifyPluginAsync {
  return async (app) => {
    app.post("/runs", async (request, reply) => {
      const key = idempotencyKey(request);
      const asked = parse(V1StartRun, request.body ?? {});
      const command = startFrom(asked, request);
      const { previous_response_id } = asked;
      if (previous_response_id && command.session_id === undefined) {
        const before = await wantRun(deps.journal, previous_response_id.replace(/^resp_/, ""));
        command.session_id = await sessionAfter(deps.journal, before);
      }
      const body = createHash("sha256").update(JSON.stringify(asked)).digest("hex");
      const outcome = await deps.journal.startRun(
        command,
        await defaultsFor(deps, command.profile),
        key === undefined ? undefined : { scope: "v1", key, body },
      );
      if (outcome.run_id === null) throw new V1Error(429, "queue_full", outcome.safe_message);
      const run = await wantRun(deps.journal, outcome.run_id);
      const replayed = outcome.status === "duplicate";
      if (replayed) reply.header("idempotency-replayed", "true");
      echo(request, reply, run.session_id);
      return reply.status(202).send({
        run_id: run.run_id,
        stream_id: run.run_id,
        session_id: run.session_id,
        status: "started",
        replayed,
        started_at: run.created_at,
        cursor: "0",
        active_controls: controlsIn(run.status),
      });
    });

    app.get("/runs/:runId", async (request, reply) => {
      const run = await wantRun(deps.journal, runIdOf(request));
      echo(request, reply, run.session_id);
      return viewOf(deps, run);
    });

    await app.register(runEvents(deps));
    await app.register(runControls(deps));
  };
}

/** What the client calls its session, given back. */
export function echo(
  { headers }: FastifyRequest,
  reply: { header(name: string, value: string): unknown },
  sessionId: string,
): void {
  reply.header("x-hermes-session-id", sessionId);
  const key = headers["x-hermes-session-key"];
  if (typeof key === "string" && /^[\x21-\x7e]{1,255}$/.test(key)) {
    reply.header("x-hermes-session-key", key);
  }
}

function idempotencyKey({ headers }: FastifyRequest): string | undefined {
  const key = headers["idempotency-key"];
  if (key === undefined) return undefined;
  if (typeof key === "string" && /^[\x21-\x7e]{1,255}$/.test(key)) return key;
  throw new V1Error(
    400,
    "invalid_idempotency_key",
    "An Idempotency-Key is 1 to 255 visible ASCII characters.",
  );
}

function startFrom(asked: V1StartRun, { headers }: FastifyRequest): StartRun {
  const { input, conversation_history, instructions } = asked;
  const given = typeof input === "string" ? [{ role: "user", content: input }] : (input ?? []);
  const spoken = spokenIn([...(conversation_history ?? []), ...given]);
  const message = asked.message ?? spoken.message;
  if (message === undefined || message.trim() === "") {
    throw new V1Error(400, "missing_input", "Say what to do: `input` (or `message`).", "input");
  }
  const told = [...(instructions ? [instructions] : []), ...spoken.instructions].join("\n\n");
  const session = asked.session_id ?? headers["x-hermes-session-id"];
  const { model, provider, workspace, profile, toolsets, source, metadata } = asked;
  const history = asked.message === undefined ? spoken.history : historyBefore(asked);
  return parse(StartRun, {
    message,
    source: source ?? "v1",
    ...(session && { session_id: session }),
    ...(told !== "" && { instructions: told }),
    ...(history.length > 0 && { history }),
    ...modelOf(model, provider),
    ...(workspace && { workspace }),
    ...(profile && { profile }),
    ...(toolsets && { toolsets }),
    ...(metadata && { metadata }),
    ...(asked.attachments && { attachments: asked.attachments.map(attachment) }),
  });
}

/** With `message` beside a history, all of the history was said before it. */
function historyBefore({ conversation_history }: V1StartRun) {
  return spokenIn([...(conversation_history ?? []), { role: "user", content: "" }]).history;
}

const AGENTS = new Set(["hermes-agent", "quarterdeck"]); // names for whatever is configured

function modelOf(model: string | null | undefined, provider: string | null | undefined) {
  if (!model || AGENTS.has(model)) return {};
  return model.includes("/") || !provider ? { model } : { model, provider };
}

function attachment(given: unknown): object {
  if (typeof given === "string") return { name: given, media_type: "application/octet-stream" };
  const fields = (given ?? {}) as Record<string, unknown>;
  const name = fields["name"] ?? fields["filename"] ?? fields["path"];
  const media_type = fields["media_type"] ?? fields["mime"] ?? fields["content_type"];
  return parse(Attachment, {
    ...fields,
    name,
    media_type: media_type ?? "application/octet-stream",
  });
}

/** A run's status for both kinds of client: one reads `status` and `output`, the other the controls. */
async function viewOf({ journal }: AppDeps, run: RunRecord): Promise<object> {
  const state = await loadRun(journal, run.run_id);
  const pending = (await journal.pending({ sessionId: run.session_id })).filter(
    ({ run_id }) => run_id === run.run_id || run_id.startsWith(`${run.run_id}.`),
  );
  const first = (kinds: readonly string[]) =>
    pending.find(({ kind }) => kinds.includes(kind))?.request_id ?? null;
  const approval = pending.find(({ kind }) => kind === "approval");
  const last = (await journal.readRun(run.run_id, run.seq - 1, 1))?.rows[0];
  const usage = state?.usage;
  const over = isTerminal(run.status);
  return {
    object: "hermes.run",
    run_id: run.run_id,
    session_id: run.session_id,
    status: statusOf(run, pending.length > 0 && approval !== undefined),
    lifecycle: run.status, // in our own words
    created_at: run.created_at,
    updated_at: run.updated_at,
    model: run.model,
    last_event: last ? (JSON.parse(last[2]) as RunEvent).type : null,
    last_event_id: last ? `${run.run_id}:${last[1]}` : null,
    output: state?.result ?? null,
    usage: usage && {
      input_tokens: usage.input_tokens ?? 0,
      output_tokens: usage.output_tokens ?? 0,
      total_tokens: usage.total_tokens ?? 0,
    },
    error: state?.error?.message ?? null,
    approval: approval && {
      request_id: approval.request_id,
      title: approval.title,
      prompt: approval.prompt,
      choices: approval.choices,
    },
    pending,
    terminal_state: over ? run.status : null,
    active_controls: controlsIn(run.status),
    pending_approval_id: first(["approval"]),
    pending_clarify_id: first(["clarify", "unknown_outcome"]),
  };
}

/** A subagent that waits makes its run wait. */
function statusOf({ status }: RunRecord, approval: boolean): string {
  return status === "running" && approval ? "waiting_for_approval" : hermesStatus(status);
}
