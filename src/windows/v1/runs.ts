// `/v1/runs`: starts and reads runs, for gateway clients (`input`, SSE) and for the web UI's runner client
// (`message`, JSON polling on the same path). `Accept` decides the form of the response.
import type { FastifyPluginAsync, FastifyRequest } from "fastify";
import { Attachment } from "../../kernel/events/catalogue/lifecycle.ts";
import { StartRun } from "../../kernel/events/commands.ts";
import { parse } from "../../kernel/events/errors.ts";
import { keptIn, V1_METADATA, type V1Metadata } from "./wire/responses/object.ts";
import { spokenIn, V1StartRun } from "./wire/bodies.ts";
import type { AppDeps } from "../../kernel/server/app.ts";
import { defaultsFor } from "../../kernel/server/defaults.ts";
import { requireFolder, requireProfile } from "../../kernel/server/require-context.ts";
import { sessionAfter } from "./continue.ts";
import { runControls } from "./run-controls.ts";
import { runEvents } from "./run-events.ts";
import {
  activeControls,
  pendingOf,
  isApproval,
  isQuestion,
} from "../../kernel/server/feed/pending-below.ts";
import { fingerprint } from "./start.ts";
import { runIdOf, requireRun } from "./require-run.ts";
import { V1Error } from "./v1-error.ts";
import type { Journal } from "../../kernel/journal/journal.ts";
import { loadRun } from "../../kernel/journal/read/load-run.ts";
import type { RequestRecord, RunRecord } from "../../kernel/api/records/records.ts";
import { encode } from "../../kernel/dialect/dialect.ts";
import { hermesStatus, v1RunsDialect } from "./wire/runs.ts";
import { windowId } from "../../kernel/dialect/window-id.ts";
import type { RunEvent } from "../../kernel/events/events.ts";
import { isTerminal } from "../../kernel/state/run/status.ts";

export function v1Runs(deps: AppDeps): FastifyPluginAsync {
  return async (app) => {
    app.post("/runs", async (request, reply) => {
      const { run, replayed } = await startRun(deps, request);
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
        active_controls: activeControls(run, await pendingOf(deps.journal, run)),
      });
    });

    app.get("/runs/:runId", async (request, reply) => {
      const run = await requireRun(deps.journal, runIdOf(request));
      echo(request, reply, run.session_id);
      return runView(deps.journal, run);
    });

    await app.register(runEvents(deps));
    await app.register(runControls(deps));
  };
}

/** Once per key: the same request again is told the run it began. */
async function startRun(deps: AppDeps, request: FastifyRequest) {
  const { journal } = deps;
  const key = idempotencyKey(request);
  const asked = parse(V1StartRun, request.body ?? {});
  const command = startFrom(asked, request);
  // With the session that a header names: elsewhere it is another request.
  const body = fingerprint([command.session_id ?? null, asked]);
  const { previous_response_id } = asked;
  if (previous_response_id && command.session_id === undefined) {
    const before = await requireRun(journal, previous_response_id.replace(/^resp_/, ""));
    command.session_id = await sessionAfter(journal, before, key);
    if (key !== undefined) command.metadata = metadataWith(command, { idempotency_key: key });
  }
  await requireProfile(deps, command.profile);
  requireFolder(deps, command.workspace);
  const defaults = await defaultsFor(deps, command.profile);
  const same = key === undefined ? undefined : { scope: "v1", key, body };
  const outcome = await journal.commands.startRun(command, defaults, same);
  if (outcome.run_id === null) throw new V1Error(429, "queue_full", outcome.safe_message);
  const run = await requireRun(journal, outcome.run_id);
  return { run, replayed: outcome.status === "duplicate" };
}

/** What this API keeps with a run: `sessionAfter` and `runView` know it by that. */
function metadataWith({ metadata }: Pick<StartRun, "metadata">, more: V1Metadata) {
  return { ...metadata, [V1_METADATA]: { ...keptIn(metadata), ...more } };
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
  const emitted = [...(instructions ? [instructions] : []), ...spoken.instructions].join("\n\n");
  const session = asked.session_id ?? headers["x-hermes-session-id"];
  const { model, provider, workspace, profile, toolsets, source, metadata } = asked;
  const history = asked.message === undefined ? spoken.history : historyBefore(asked);
  return parse(StartRun, {
    message,
    source: source ?? "v1",
    ...(session && { session_id: session }),
    ...(emitted !== "" && { instructions: emitted }),
    ...(history.length > 0 && { history }),
    ...modelOf(model, provider),
    ...(workspace && { workspace }),
    ...(profile && { profile }),
    ...(toolsets && { toolsets }),
    ...(asked.message === undefined
      ? metadata && { metadata }
      : { metadata: metadataWith({ metadata: metadata ?? {} }, { words: "document" }) }),
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

// A run's status for both kinds of client of `/v1/runs`: one reads `status` and `output`, the other the
// controls. What a subagent waits for counts as its run's: nobody else would answer it.
type Pending = readonly RequestRecord[];

async function runView(journal: Journal, run: RunRecord): Promise<object> {
  const state = await loadRun(journal, run.run_id);
  const pending = await pendingOf(journal, run);
  const approval = pending.find(isApproval);
  const usage = state?.usage;
  const lifecycle = statusOf(run, pending);
  const isDocuments = keptIn(state?.metadata).words === "document";
  return {
    object: "hermes.run",
    run_id: run.run_id,
    session_id: run.session_id,
    status: isDocuments ? lifecycle : hermesStatus(lifecycle),
    lifecycle, // always in the document's words
    created_at: run.created_at,
    updated_at: run.updated_at,
    model: run.model,
    ...(await newestOf(journal, run)),
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
    terminal_state: isTerminal(run.status) ? run.status : null,
    active_controls: activeControls(run, pending),
    pending_approval_id: approval?.request_id ?? null,
    pending_clarify_id: pending.find(isQuestion)?.request_id ?? null,
  };
}

/** A subagent that waits makes its run wait. */
function statusOf({ status }: RunRecord, pending: Pending): string {
  if (status !== "running" || pending.length === 0) return status;
  return pending.some(isApproval) ? "awaiting_approval" : "awaiting_clarify";
}

/**
 * The run's newest event in this API's words, and the highest number that its stream may have told: a run's
 * stream tells its subagents' requests too, so while it goes on that is the session's newest.
 */
async function newestOf(journal: Journal, run: RunRecord) {
  const newest = (await journal.readRun(run.run_id, run.seq - 1, 1))?.rows[0];
  if (!newest) return { last_event: null, last_event_id: null };
  const event = JSON.parse(newest[2]) as RunEvent;
  const [frame] = encode(v1RunsDialect, event, v1RunsDialect.begin(), { replay: true });
  const session = isTerminal(run.status) ? undefined : await journal.reads.session(run.session_id);
  return {
    last_event: frame ? v1RunsDialect.kind(frame) : event.type,
    last_event_id: windowId(run.run_id, session?.seq ?? newest[1]),
  };
}
