// Starts a turn from the browser: one active run per session. The response has only the fields of the run contract.
import type { Journal } from "../../kernel/journal/journal.ts";
import { typedIn } from "../../kernel/journal/admit/typed-commands.ts";
import { StartRun, type Outcome } from "../../kernel/events/commands.ts";
import type { GivenAttachment, WebuiStart } from "./wire/bodies.ts";
import { ApiError, parse } from "../../kernel/events/errors.ts";
import type { RunEvent } from "../../kernel/events/events.ts";
import { ClientKey } from "../../kernel/events/ids.ts";
import type { AppDeps } from "../../kernel/server/app.ts";
import { defaultsFor } from "../../kernel/server/defaults.ts";
import { requireFolder, requireProfile } from "../../kernel/server/require-context.ts";
import { providerOf } from "./sources.ts";

/** Not possible now: told with the run that stands in the way, so that a page can show that one. */
export class Busy extends Error {
  readonly body: { error: string; code: string; active_stream_id: string | null };
  constructor(error: string, code: string, active_stream_id: string | null) {
    super(error);
    this.body = { error, code, active_stream_id };
  }
}

export async function start(deps: AppDeps, body: WebuiStart, key: string | undefined) {
  const { journal } = deps;
  const message_id = body.message_id ?? key;
  const keyed = message_id === undefined ? {} : { message_id: parse(ClientKey, message_id) };
  // A command ("/stop") is for what runs: it is done beside it.
  const isCommand = typedIn(body.message) !== undefined;
  if (!isCommand) await refuseSecond(journal, body.session_id, keyed.message_id);
  if (body.regenerate === true) return regenerate(journal, body, keyed.message_id);
  const command = parse(StartRun, { ...commandOf(body), ...keyed });
  await requireProfile(deps, command.profile);
  requireFolder(deps, command.workspace);
  const outcome = await journal.commands.startRun(
    command,
    await defaultsFor(deps, command.profile),
  );
  return started(journal, outcome);
}

/** The newest exchange once more; what it said is left out of the conversation. */
async function regenerate(journal: Journal, body: WebuiStart, command_id: string | undefined) {
  const { provider, model } = modelOf(body);
  const request = {
    ...(model !== undefined && { model: provider === undefined ? model : `${provider}/${model}` }),
    ...(command_id !== undefined && { command_id }),
  };
  const outcome = await journal.commands.retry(body.session_id, request);
  if (!outcome) throw new ApiError("session_not_found", "Session not found.");
  return started(journal, outcome);
}

/** A page that is told "busy" keeps the message for later by itself; it knows the error by these words. */
async function refuseSecond(journal: Journal, sessionId: string, key: string | undefined) {
  const active = (await journal.reads.session(sessionId))?.active_run_id ?? null;
  if (active === null || (await startedBy(journal, sessionId, key))) return;
  throw new Busy("session already has an active stream", "session_busy", active);
}

/** Whether an open run is this very message: then the answer is the first one, not a refusal. */
async function startedBy(journal: Journal, sessionId: string, key: string | undefined) {
  if (key === undefined) return false;
  for (const { run_id, ended_at } of (await journal.reads.runsOf(sessionId)).toReversed()) {
    if (ended_at === null && (await opening(journal, run_id))?.messageId === key) return true;
  }
  return false;
}

export async function started(journal: Journal, outcome: Outcome) {
  const { run_id: stream_id, session_id, accepted, status, safe_message } = outcome;
  const session = session_id === null ? undefined : await journal.reads.session(session_id);
  if (!accepted || stream_id === null) {
    throw new Busy(safe_message, status, session?.active_run_id ?? null);
  }
  const first = await opening(journal, stream_id);
  return {
    stream_id,
    session_id,
    pending_started_at: first?.at ?? null,
    turn_id: first?.messageId ?? stream_id,
    title: session?.title ?? "",
    ...(first && {
      effective_model: first.model,
      effective_model_provider: providerOf(first.model),
    }),
  };
}

type Opening = { readonly messageId: string; readonly model: string; readonly at: number };

/** A run's first two events are one beginning. */
async function opening(journal: Journal, runId: string): Promise<Opening | undefined> {
  const rows = (await journal.readRun(runId, 0, 2))?.rows ?? [];
  const [message, queued] = rows.map(([, , body]) => JSON.parse(body) as RunEvent);
  if (message?.type !== "message.user" || queued?.type !== "run.queued") return undefined;
  const { model } = queued.payload;
  return { messageId: message.payload.message_id, model, at: message.created_at };
}

function commandOf(body: WebuiStart) {
  const attachments = body.attachments ?? [];
  const paths = attachments.flatMap((given) => pathOf(given) ?? []);
  const metadata = { ...body.metadata, ...(paths.length > 0 && { attachment_paths: paths }) };
  return {
    session_id: body.session_id,
    message: body.message,
    source: body.source || "webui",
    ...modelOf(body),
    ...given("workspace", body.workspace),
    ...given("profile", body.profile),
    ...given("project_id", body.project_id),
    ...(body.toolsets && { toolsets: body.toolsets }),
    ...(attachments.length > 0 && { attachments: attachments.map(attachmentOf) }),
    ...(Object.keys(metadata).length > 0 && { metadata }),
  };
}

const given = (name: string, value: string | null | undefined) => (value ? { [name]: value } : {});

/** A bare name without its provider could be anybody's: then the session's model stays. */
function modelOf({ model, model_provider, provider: named }: WebuiStart) {
  const provider = model_provider || named;
  if (!model) return {};
  if (provider && !model.startsWith(`${provider}/`)) return { provider, model };
  return model.includes("/") ? { model } : {};
}

function pathOf(file: GivenAttachment): string | undefined {
  return (typeof file === "string" ? file : file.path) ?? undefined;
}

function attachmentOf(file: GivenAttachment) {
  const known = typeof file === "string" ? {} : file;
  const named = known.name ?? known.filename ?? pathOf(file) ?? "attachment";
  return {
    name: named.split("/").at(-1) || "attachment",
    media_type: known.mime ?? known.media_type ?? "application/octet-stream",
    ...(typeof known.size === "number" && { bytes: known.size }),
    ...(typeof known.sha256 === "string" && { sha256: known.sha256 }),
  };
}
