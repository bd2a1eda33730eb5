// `POST /v1/chat/completions`: the last user message starts a run, and the run's text is the response. A client that
// disconnects stops nothing: the run is durable, and any window shows its end.
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from "fastify";
import type { RunRecord } from "../../kernel/api/records/records.ts";
import { ChatBody, CHAT_UNSUPPORTED, chatInput } from "./wire/chat/body.ts";
import { chatCompletion } from "./wire/chat/object.ts";
import { behindChunk, chatDialect, chatText } from "./wire/chat/chat-completions.ts";
import { refuse, refuseUnsupported, spokenIn } from "./wire/openai/input.ts";
import { V1_METADATA, type ResponsesState } from "./wire/responses/object.ts";
import { parse } from "../../kernel/events/errors.ts";
import type { AppDeps } from "../../kernel/server/app.ts";
import { streamEvents } from "../../kernel/server/feed/sse.ts";
import { windowSource } from "../../kernel/server/feed/window.ts";
import { modelNamed } from "./models.ts";
import { runWindow } from "./read-response.ts";
import { isOf } from "../../kernel/server/feed/pending-below.ts";
import { waitUntilSettled } from "./wait-until-settled.ts";
import { abortOnDisconnect } from "../../kernel/server/disconnect.ts";
import * as starting from "./start.ts";
import { V1Error } from "./v1-error.ts";
import { own } from "../../kernel/events/own.ts";

export const KEEPALIVE = () => ": keepalive\n\n";

export function v1Chat(deps: AppDeps): FastifyPluginAsync {
  return async (app) => {
    app.post("/chat/completions", async (request, reply) => {
      const body = parse(ChatBody, request.body ?? {});
      refuseUnsupported(body, CHAT_UNSUPPORTED);
      const run = await startChat(deps, request, body);
      starting.emitRun(request, reply, run);
      if (body.stream) return streamChat(deps, reply, { run, body });
      const { state, behind } = await waitUntilSettled(deps.journal, run, abortOnDisconnect(reply));
      if (state.status === "failed" && state.error) throw runFailure(reply, state.error);
      return chatCompletion(state, behind);
    });
  };
}

async function startChat(deps: AppDeps, request: FastifyRequest, body: ChatBody) {
  const { instructions, past, now } = spokenIn(chatInput(body), new Set());
  const message = now.at(-1);
  if (message === undefined) refuse("messages", "The last message has to be a user's.");
  const sessionId = starting.sessionHeader(request);
  const key = starting.idempotencyKey(request);
  const session_key = starting.sessionKey(request);
  const before = now.slice(0, -1).map((text) => ({ role: "user" as const, text }));
  const history = [...past, ...before];
  // A session that has a past tells its own; another one would contradict what its windows show.
  const continues =
    sessionId !== undefined && (await deps.journal.reads.runsOf(sessionId)).length > 0;
  const model = await modelNamed(deps, body.model);
  const own = { ...(session_key !== undefined && { session_key }) };
  const command = starting.requireCommand(
    {
      message,
      source: "v1",
      ...(sessionId !== undefined && { session_id: sessionId }),
      ...(!continues && history.length > 0 && { history }),
      ...(instructions !== "" && { instructions }),
      ...(model !== undefined && { model }),
      metadata: { ...body.metadata, ...(session_key !== undefined && { [V1_METADATA]: own }) },
    },
    "messages",
  );
  const same = { scope: "v1:chat", body: starting.fingerprint([sessionId ?? null, body]) };
  return starting.start(deps, command, key === undefined ? undefined : { ...same, key });
}

type Streaming = { readonly run: RunRecord; readonly body: ChatBody };

async function streamChat(deps: AppDeps, reply: FastifyReply, { run, body }: Streaming) {
  const { journal, streams } = deps;
  const dialect = chatDialect({ usage: body.stream_options?.include_usage === true });
  const spec = await runWindow(journal, run);
  const source = windowSource(journal, { ...spec, dialect, text: chatText });
  const pending = await journal.reads.pending({ sessionId: run.session_id });
  const behind = pending.filter(({ run_id }) => !isOf(run, run_id));
  const about = { runId: run.run_id, model: run.model, created: Math.floor(run.created_at) };
  const hello = behind.map((request) => chatText(behindChunk(about, request))).join("");
  return streamEvents(reply, streams, { source, after: -1, beat: KEEPALIVE, hello });
}

// A failed run as an HTTP error, for answers that have no other place for it. Official clients try some
// of these again by themselves, which would be a second run: they are told not to.
const BY_CODE: Readonly<Record<string, { status: number; code: string }>> = {
  model_unknown_model: { status: 404, code: "model_not_found" },
  model_bad_request: { status: 400, code: "model_bad_request" },
  model_context_length: { status: 400, code: "context_length_exceeded" },
  model_rate_limited: { status: 429, code: "rate_limit_exceeded" },
  agent_setup: { status: 400, code: "agent_setup" },
};

function runFailure(
  reply: FastifyReply,
  { code, message }: NonNullable<ResponsesState["error"]>,
): V1Error {
  const known = own(BY_CODE, code);
  const { status, code: said } = known ?? { status: 502, code };
  reply.header("x-should-retry", "false");
  return new V1Error(status, said, message, status === 404 ? "model" : null);
}
