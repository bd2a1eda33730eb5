// Requests that wait for a person, and their answers. Every window uses the same commands: the first answer counts,
// and a late one is told so instead of a false success.
import type { FastifyPluginAsync, FastifyReply } from "fastify";
import type { Journal } from "../../kernel/journal/journal.ts";
import type { RequestRecord } from "../../kernel/api/records/records.ts";
import type { Outcome } from "../../kernel/events/commands.ts";
import { WebuiApproval, WebuiClarify, type WebuiApproval as Approval } from "./wire/bodies.ts";
import { approvalCard, clarifyCard } from "./wire/requests.ts";
import { ApiError, parse } from "../../kernel/events/errors.ts";
import { SessionId } from "../../kernel/events/ids.ts";
import type { AppDeps } from "../../kernel/server/app.ts";
import { param } from "./wire.ts";

type Kind = RequestRecord["kind"];
const APPROVALS: readonly Kind[] = ["approval"];
const QUESTIONS: readonly Kind[] = ["clarify", "unknown_outcome"];
const STALE = "Clarification prompt expired or not found. The agent may have already proceeded.";

export function requestRoutes({ journal }: AppDeps): FastifyPluginAsync {
  return async (app) => {
    app.get("/approval/pending", async ({ query }) =>
      shown(await waiting(journal, sessionIdOf(query), APPROVALS), approvalCard),
    );
    app.get("/clarify/pending", async ({ query }) =>
      shown(await waiting(journal, sessionIdOf(query), QUESTIONS), clarifyCard),
    );

    app.post("/approval/respond", async ({ body }, reply) => {
      const asked = parse(WebuiApproval, body ?? {});
      const { choice, feedback, yolo, session_id } = asked;
      const command = { choice, by: "webui", ...(feedback && { feedback }) };
      const wanted = { ...asked, id: asked.approval_id, kinds: APPROVALS };
      const outcome = await answer(journal, wanted, (runId, approvalId) =>
        journal.commands.respondApproval({ runId, approvalId }, command),
      );
      if (!outcome?.accepted) return late(reply, asked, outcome);
      if (yolo === true && choice !== "deny")
        await journal.commands.updateSession(session_id, { yolo });
      return { ok: true, choice };
    });

    app.post("/clarify/respond", async ({ body }, reply) => {
      const asked = parse(WebuiClarify, body ?? {});
      const response = asked.response ?? asked.answer ?? asked.choice ?? "";
      const wanted = { ...asked, id: asked.clarify_id, kinds: QUESTIONS };
      const outcome = await answer(journal, wanted, (runId, clarifyId) =>
        journal.commands.respondClarify({ runId, clarifyId }, { response, by: "webui" }),
      );
      if (outcome?.accepted) return { ok: true, response };
      return reply.status(409).send({ ok: false, error: STALE, stale: true });
    });
  };
}

function late(reply: FastifyReply, { choice }: Approval, outcome: Outcome | undefined) {
  const error = outcome?.safe_message ?? "Approval expired or not found.";
  return reply.status(409).send({ ok: false, error, stale: true, choice });
}

function shown(pending: readonly RequestRecord[], card: (request: RequestRecord) => object) {
  const [oldest] = pending;
  return { pending: oldest ? card(oldest) : null, pending_count: pending.length };
}

async function waiting(journal: Journal, sessionId: string, kinds: readonly Kind[]) {
  return (await journal.reads.pending({ sessionId })).filter(({ kind }) => kinds.includes(kind));
}

type Wanted = {
  readonly session_id: string;
  readonly id: string | null | undefined;
  readonly run_id?: string | null | undefined;
  readonly kinds: readonly Kind[];
};
type Answer = (runId: string, requestId: string) => Promise<Outcome | undefined>;

/** Older clients name no request. Which one they saw is certain only when one waits. */
async function answer(journal: Journal, wanted: Wanted, give: Answer) {
  const { session_id, kinds } = wanted;
  const pending = await waiting(journal, session_id, kinds);
  if (!wanted.id) {
    const [only, ...more] = pending;
    if (more.length > 0) throw new ApiError("invalid_request", "Several wait: name one by its id.");
    return only && give(only.run_id, only.request_id);
  }
  const found = pending.find(({ request_id }) => request_id === wanted.id);
  if (found && wanted.run_id && wanted.run_id !== found.run_id) return undefined;
  if (found) return give(found.run_id, found.request_id);
  // Answered already, by whomever: its run knows how.
  for (const runId of await askers(journal, { ...wanted, id: wanted.id })) {
    const outcome = await give(runId, wanted.id);
    if (outcome) return outcome;
  }
  return undefined;
}

const MAX_ASKED = 20;

/** Runs of the session that can have asked this: ids of requests begin with their run's. */
async function askers(
  journal: Journal,
  { session_id, id, run_id }: Wanted & { readonly id: string },
): Promise<string[]> {
  const runs = (await journal.reads.runsOf(session_id)).map((run) => run.run_id).toReversed();
  if (run_id) return runs.filter((each) => each === run_id);
  const named = runs.filter((each) => id.includes(each));
  return named.length > 0 ? named : runs.slice(0, MAX_ASKED);
}

function sessionIdOf(query: unknown): string {
  const sessionId = param(query, "session_id");
  if (!sessionId) throw new ApiError("invalid_request", "session_id is required.");
  return parse(SessionId, sessionId);
}
