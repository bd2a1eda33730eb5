// `/v1/runs`: starting and reading runs, for gateway clients (`input`, SSE) and for the web UI's runner
// client (`message`, JSON polling on the same path). What to answer follows from `Accept`.
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
import { activeControls, pendingOf } from "../../kernel/server/feed/pending-below.ts";
import { runView } from "./run-view.ts";
import { fingerprint } from "./start.ts";
import { runIdOf, requireRun } from "./require-run.ts";
import { V1Error } from "./v1-error.ts";

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
