// A session in the shape of the console's lists, and the lookup of the session that a request names.
import type { FastifyRequest } from "fastify";
import { z } from "zod";
import type { Journal } from "../../../kernel/journal/journal.ts";
import type { SessionSummary } from "../../../kernel/api/records/records.ts";
import { isoTime } from "../../../kernel/dialect/iso-time.ts";
import { SessionId } from "../../../kernel/events/ids.ts";
import { ConsoleError, take } from "../envelopes.ts";
import { modelNames } from "../models.ts";

const Param = z.object({ session_id: SessionId });

/** The session a request names. One that was deleted is not there, but for who brings it back. */
export async function requireSession(
  journal: Journal,
  { params }: Pick<FastifyRequest, "params">,
  also: { deleted: boolean } = { deleted: false },
): Promise<SessionSummary> {
  const { session_id } = take(Param, { session_id: (params as { sessionId: string }).sessionId });
  const session = await journal.reads.sessionSummary(session_id);
  if (session && (also.deleted || !session.deleted)) return session;
  throw new ConsoleError("session_not_found", "Session not found", { session_id });
}

export function summaryView(session: SessionSummary) {
  const { model, provider } = modelNames(session.model);
  return {
    session_id: session.session_id,
    title: session.title,
    source: session.source,
    workspace: session.workspace,
    model,
    provider,
    last_active: isoTime(session.updated_at),
    started_at: session.created_at, // seconds: the client calculates with it
    token_summary: {
      input: session.input_tokens,
      output: session.output_tokens,
      total: session.total_tokens,
    },
    parent_session_id: session.parent_session_id,
    has_tools: session.tool_calls > 0,
    has_attachments: session.attachments > 0,
    has_subagents: session.subagents > 0,
    preview: session.preview,
    message_count: session.messages,
    profile: session.profile,
    project_id: session.project_id,
    yolo: session.yolo,
    goal: session.goal,
    active_run_id: session.active_run_id,
    status: session.active_status ?? "idle",
    pending: session.pending,
  };
}
