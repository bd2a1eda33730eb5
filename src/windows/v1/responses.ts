// `POST /v1/responses`: a run in the form of the OpenAI SDK. It is durable, may run in the background, and continues
// any earlier response or answers its pending requests.
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from "fastify";
import type { Journal } from "../../kernel/journal/journal.ts";
import type { RunRecord } from "../../kernel/api/records/records.ts";
import {
  refuse,
  refuseUnsupported,
  spokenIn,
  type InputItem,
  type Spoken,
} from "./wire/openai/input.ts";
import {
  conversationOf,
  responseInput,
  RESPONSES_UNSUPPORTED,
  ResponsesBody,
  spokenOutputs,
} from "./wire/responses/body.ts";
import { responseObject, V1_METADATA } from "./wire/responses/object.ts";
import { parse } from "../../kernel/events/errors.ts";
import type { AppDeps } from "../../kernel/server/app.ts";
import { answersIn, giveAnswers, refuseLate, type Given } from "./answer-requests.ts";
import { startAfter } from "./continue.ts";
import { modelNamed } from "./models.ts";
import { readResponse, requireResponse } from "./read-response.ts";
import { streamResponse } from "./responses-read.ts";
import { waitUntilSettled } from "./wait-until-settled.ts";
import { abortOnDisconnect } from "../../kernel/server/disconnect.ts";
import * as starting from "./start.ts";
import { V1Error } from "./v1-error.ts";

export function v1Responses(deps: AppDeps): FastifyPluginAsync {
  const { journal } = deps;
  return async (app) => {
    app.post("/responses", async (request, reply) => {
      const body = parse(ResponsesBody, request.body ?? {});
      refuseUnsupported(body, RESPONSES_UNSUPPORTED);
      const asked = await askedIn(deps, request, body);
      const begin = await beginning(deps, asked); // refuses before anything is changed
      await refuseLate(journal, asked.given);
      const run = await begin(); // may be refused too: nobody has said yes to anything by then
      await answer(journal, asked.given, run);
      starting.emitRun(request, reply, run);
      if (body.stream) return streamResponse(deps, reply, { run, startingAfter: -1 });
      return body.background ? now(journal, run) : atTheEnd(journal, run, reply);
    });
  };
}

/** Somebody else answered this very moment: what was to follow the answer is not wanted then. */
async function answer(journal: Journal, given: Given, { run_id }: RunRecord): Promise<void> {
  try {
    await giveAnswers(journal, given);
  } catch (error) {
    const reason = "v1: answered by somebody else";
    if (run_id !== given.run?.run_id) await journal.commands.cancelRun(run_id, { reason });
    throw error;
  }
}

async function now(journal: Journal, run: RunRecord) {
  return responseObject(await readResponse(journal, run));
}

async function atTheEnd(journal: Journal, run: RunRecord, reply: FastifyReply) {
  const { state, behind } = await waitUntilSettled(journal, run, abortOnDisconnect(reply));
  const response = responseObject(state);
  const pending = [...response.quarterdeck.pending, ...behind];
  return { ...response, quarterdeck: { ...response.quarterdeck, pending } };
}

type Asked = {
  readonly request: FastifyRequest;
  readonly body: ResponsesBody;
  readonly spoken: Spoken;
  readonly given: Given;
  readonly previous: RunRecord | undefined;
  readonly sessionId: string | undefined;
};

async function askedIn(deps: AppDeps, request: FastifyRequest, body: ResponsesBody) {
  const { journal } = deps;
  const { previous_response_id } = body;
  const conversation = starting.sessionNamed(conversationOf(body), "conversation");
  if (previous_response_id && conversation !== undefined) {
    refuse(
      "conversation",
      "Either a conversation goes on, or what follows one response: not both.",
    );
  }
  const previous = previous_response_id
    ? await previousRun(journal, previous_response_id)
    : undefined;
  const sessionId = previous?.session_id ?? conversation ?? starting.sessionHeader(request);
  const items: readonly InputItem[] = responseInput(body);
  const given = await answersIn(journal, items, previous ?? (await activeRun(journal, sessionId)));
  spokenOutputs(items, given.items);
  const spoken = spokenIn(items, given.items);
  return { request, body, spoken, given, previous, sessionId };
}

async function previousRun(journal: Journal, id: string): Promise<RunRecord> {
  try {
    return await requireResponse(journal, id);
  } catch (error) {
    if (!(error instanceof V1Error)) throw error;
    throw new V1Error(400, "previous_response_not_found", error.message, "previous_response_id");
  }
}

async function activeRun(journal: Journal, sessionId: string | undefined) {
  const session = sessionId === undefined ? undefined : await journal.reads.session(sessionId);
  const runId = session?.active_run_id ?? undefined;
  return runId === undefined ? undefined : journal.reads.run(runId);
}

/** How the request's run comes to be. Answers alone start nothing: what was asked for goes on. */
async function beginning(deps: AppDeps, asked: Asked): Promise<() => Promise<RunRecord>> {
  const { request, body, spoken, given, previous, sessionId } = asked;
  const { past, now: said } = spoken;
  if (said.length === 0) {
    const { run } = given;
    if (!run || given.items.size === 0)
      refuse("input", "Say what to do: the last item is a user's.");
    return async () => run;
  }
  const key = starting.idempotencyKey(request);
  const fingerprint = starting.fingerprint([sessionId ?? null, body]);
  const runs = sessionId === undefined ? [] : await deps.journal.reads.runsOf(sessionId);
  const command = starting.requireCommand(
    {
      source: "v1",
      ...wordsFor(runs.length > 0, past, said),
      ...(sessionId !== undefined && { session_id: sessionId }),
      ...instructionsOf(body, spoken),
      ...(await modelOf(deps, body)),
      metadata: { ...body.metadata, [V1_METADATA]: ownMetadata(asked, key) },
    },
    "input",
  );
  if (previous) return () => startAfter(deps, previous, { command, key, fingerprint });
  const same = { scope: "v1:responses", body: fingerprint };
  return () => starting.start(deps, command, key === undefined ? undefined : { ...same, key });
}

/** A session with a past tells its own: what a person says now is one message, as it came. */
function wordsFor(continues: boolean, past: Spoken["past"], said: readonly string[]) {
  if (continues) return { message: said.join("\n\n") };
  const before = said.slice(0, -1).map((text) => ({ role: "user" as const, text }));
  const history = [...past, ...before];
  return { message: said.at(-1), ...(history.length > 0 && { history }) };
}

function instructionsOf({ instructions }: ResponsesBody, spoken: Spoken) {
  const emitted = [instructions ?? "", spoken.instructions].filter((text) => text !== "");
  return emitted.length === 0 ? {} : { instructions: emitted.join("\n\n") };
}

async function modelOf(deps: AppDeps, body: ResponsesBody) {
  const model = await modelNamed(deps, body.model);
  return model === undefined ? {} : { model };
}

function ownMetadata({ request, body }: Asked, key: string | undefined) {
  const session_key = starting.sessionKey(request);
  const { previous_response_id, background } = body;
  const tool_items = starting.toolItems(request);
  return {
    ...(tool_items !== undefined && { tool_items }),
    ...(previous_response_id && { previous_response_id }),
    ...(background && { background }),
    ...(key !== undefined && { idempotency_key: key }),
    ...(session_key !== undefined && { session_key }),
  };
}
