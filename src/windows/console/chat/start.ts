// The ways in which the console starts a run: a message, a background run, a quick question.
import type { FastifyRequest } from "fastify";
import { StartRun, type Outcome } from "../../../kernel/events/commands.ts";
import { ConsoleAsk } from "../wire/bodies.ts";
import { hashInAddress } from "../../../kernel/dialect/media-address.ts";
import type { AppDeps } from "../../../kernel/server/app.ts";
import { defaultsFor } from "../../../kernel/server/defaults.ts";
import { both, ConsoleError, keyOf, take } from "../envelopes.ts";
import { modelAsked } from "../models.ts";

/** Names no tool: a run's toolsets narrow, and an empty list would not. */
const NO_TOOLS = ["no-tools"];

export async function send(deps: AppDeps, request: FastifyRequest) {
  const asked = take(ConsoleAsk, request.body);
  const session_id = asked.session_id ?? undefined;
  const command = await commandOf(deps, asked, request, { source: "console", session_id });
  const outcome = await start(deps, command);
  return started(outcome, "started", { queued: await isQueued(deps, outcome) });
}

/** In a session of its own: the conversation it was asked in goes on meanwhile. */
export async function background(deps: AppDeps, request: FastifyRequest) {
  const asked = take(ConsoleAsk, request.body);
  const command = await commandOf(deps, asked, request, { source: "background" });
  return started(await start(deps, command), "started");
}

/** A question beside the conversation: it knows what was said, has no tools, and is no part of it. */
export async function btw(deps: AppDeps, request: FastifyRequest) {
  const asked = take(ConsoleAsk, request.body);
  const session_id = asked.session_id ?? undefined; // its client stays in the session it asked in
  const wanted = { source: "btw", session_id, toolsets: NO_TOOLS, aside: true };
  const command = await commandOf(deps, asked, request, wanted);
  return started(await start(deps, command), "started_btw");
}

type Wanted = {
  readonly source: string;
  readonly session_id?: string | undefined;
  readonly toolsets?: readonly string[];
  readonly aside?: boolean;
};

async function commandOf(
  deps: AppDeps,
  asked: ConsoleAsk,
  request: FastifyRequest,
  { source, session_id, toolsets, aside }: Wanted,
): Promise<StartRun> {
  const key = keyOf(asked, request);
  const model = await modelAsked(deps, { ...asked, session_id });
  const instructions = asked.instructions || asked.ephemeral_system_prompt;
  const history = asked.conversation_history?.map(({ role, content }) => ({
    role,
    text: typeof content === "string" ? content : content.map(({ text }) => text).join(""),
  }));
  const metadata = {
    ...(asked.conversation && { conversation: asked.conversation }),
    ...(asked.runtime_context && { runtime_context: asked.runtime_context }),
  };
  return take(StartRun, {
    message: wordsOf(asked),
    source,
    ...(session_id !== undefined && { session_id }),
    ...(toolsets && { toolsets }),
    ...(aside && { aside }),
    ...(model !== undefined && { model }),
    ...(key !== undefined && { message_id: key }),
    ...(instructions && { instructions }),
    ...(asked.attachments?.length && { attachments: asked.attachments.map(attachmentOf) }),
    ...(history && { history }), // an empty one says nothing: the session's own past counts
    ...(Object.keys(metadata).length > 0 && { metadata }),
  });
}

function wordsOf({ message, prompt }: ConsoleAsk): string {
  return message ?? prompt ?? "";
}

type Attached = NonNullable<ConsoleAsk["attachments"]>[number];

/** An upload can be attached as it was answered: its address names its hash. */
function attachmentOf({ sha256: emitted, file_path, ...given }: Attached) {
  const sha256 = emitted ?? hashInAddress(file_path ?? "");
  const bytes = given.bytes ?? given.size;
  return {
    name: given.name ?? given.filename ?? "",
    media_type: given.media_type ?? given.content_type ?? "application/octet-stream",
    ...(sha256 !== undefined && { sha256 }),
    ...(bytes !== undefined && { bytes }),
  };
}

async function start(deps: AppDeps, command: StartRun): Promise<Outcome> {
  return deps.journal.commands.startRun(command, await defaultsFor(deps, undefined));
}

/** Whether another run of the session goes first. The document has one word for both. */
async function isQueued({ journal }: AppDeps, { session_id, run_id }: Outcome): Promise<boolean> {
  const active = (await journal.reads.session(session_id ?? ""))?.active_run_id ?? run_id;
  return active !== run_id;
}

function started(outcome: Outcome, status: string, more: object = {}) {
  const { accepted, session_id, run_id, safe_message } = outcome;
  if (!accepted || run_id === null) {
    throw new ConsoleError("queue_full", safe_message, { session_id });
  }
  const duplicate = outcome.status === "duplicate";
  return both({ session_id, run_id, status, duplicate, ...more });
}
