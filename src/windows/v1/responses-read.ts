// Reads, follows, stops and deletes a response.
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from "fastify";
import { loadRun } from "../../kernel/journal/read/load-run.ts";
import type { Journal } from "../../kernel/journal/journal.ts";
import type { RunRecord, SessionRecord } from "../../kernel/api/records/records.ts";
import { refuse } from "./wire/openai/input.ts";
import { InputItemsQuery, inputItems } from "./wire/responses/input.ts";
import { responseObject } from "./wire/responses/object.ts";
import { responsesDialect, responsesText } from "./wire/responses/responses.ts";
import { parse } from "../../kernel/events/errors.ts";
import type { AppDeps } from "../../kernel/server/app.ts";
import { streamEvents } from "../../kernel/server/feed/sse.ts";
import { windowSource } from "../../kernel/server/feed/window.ts";
import { KEEPALIVE } from "./chat.ts";
import { readResponse, runWindow, requireResponse } from "./read-response.ts";
import { untilEnded } from "./wait-until-settled.ts";
import { emitRun } from "./start.ts";
import { V1Error } from "./v1-error.ts";

const CANCEL_MS = 5_000;

export function v1ResponsesRead(deps: AppDeps): FastifyPluginAsync {
  const { journal } = deps;
  return async (app) => {
    app.get("/responses/:response_id", async (request, reply) => {
      const run = await requireResponse(journal, idOf(request));
      emitRun(request, reply, run);
      const state = await readResponse(journal, run);
      if (!wantsStream(request)) return responseObject(state);
      const startingAfter = startingAfterOf(request);
      if (startingAfter >= state.sequence) {
        const last = `The newest event is ${state.sequence - 1}.`;
        refuse("starting_after", `There is no event ${startingAfter}. ${last}`);
      }
      return streamResponse(deps, reply, { run, startingAfter });
    });

    app.get("/responses/:response_id/input_items", async (request, reply) => {
      const run = await requireResponse(journal, idOf(request));
      emitRun(request, reply, run);
      const query = parse(InputItemsQuery, request.query);
      const state = await loadRun(journal, run.run_id);
      return state && inputItems(state, query);
    });

    app.post("/responses/:response_id/cancel", async (request, reply) => {
      const run = await requireResponse(journal, idOf(request));
      emitRun(request, reply, run);
      const outcome = await journal.commands.cancelRun(run.run_id, { reason: "v1: cancel" });
      if (outcome?.accepted) await untilEnded(journal, run, AbortSignal.timeout(CANCEL_MS));
      return responseObject(await readResponse(journal, run));
    });

    app.delete("/responses/:response_id", async (request) => {
      const id = idOf(request);
      const run = await requireResponse(journal, id);
      const session = await journal.reads.session(run.session_id);
      if (!session || !(await isOurs(journal, session))) throw foreign(run);
      await journal.commands.updateSession(run.session_id, { deleted: true });
      return { id, object: "response.deleted", deleted: true };
    });
  };
}

export async function streamResponse(
  { journal, streams }: AppDeps,
  reply: FastifyReply,
  { run, startingAfter }: { run: RunRecord; startingAfter: number },
): Promise<void> {
  const source = windowSource(journal, {
    ...(await runWindow(journal, run)),
    dialect: responsesDialect,
    text: responsesText,
    keep: ({ sequence_number }) => sequence_number > startingAfter,
  });
  return streamEvents(reply, streams, { source, after: -1, beat: KEEPALIVE });
}

function idOf({ params }: FastifyRequest): string {
  return (params as { response_id: string }).response_id;
}

function wantsStream({ query, headers }: FastifyRequest): boolean {
  const { stream } = query as { stream?: unknown };
  if (stream === undefined) return headers.accept?.includes("text/event-stream") === true;
  if (stream !== "true" && stream !== "false") refuse("stream", "stream is true or false.");
  return stream === "true";
}

/** -1: from the beginning. */
function startingAfterOf({ query, headers }: FastifyRequest): number {
  const given = (query as { starting_after?: unknown }).starting_after;
  const after = given ?? headers["last-event-id"];
  if (after === undefined || after === "") return -1;
  if (typeof after === "string" && /^\d{1,15}$/.test(after)) return Number(after);
  return refuse("starting_after", "starting_after is the sequence_number of an event.");
}

/** Begun by this window, or branched off from such a one: only those are its clients' to delete. */
async function isOurs(journal: Journal, session: SessionRecord): Promise<boolean> {
  if (session.source === "v1") return true;
  if (session.source !== "branch" || session.parent_session_id === null) return false;
  const parent = await journal.reads.session(session.parent_session_id);
  return parent !== undefined && isOurs(journal, parent);
}

function foreign({ session_id }: RunRecord): V1Error {
  const message = `Session ${session_id} was begun in another window. Delete it there: nothing was changed.`;
  return new V1Error(409, "response_not_deletable", message);
}
