// The console's sessions: lists, one session with its recap and lineage, and actions on it.
import type { FastifyPluginAsync } from "fastify";
import { z } from "zod";
import type { Journal } from "../../../kernel/journal/journal.ts";
import type { SessionSummary } from "../../../kernel/api/records/records.ts";
import { UpdateTitle } from "../../../kernel/events/commands.ts";
import { ConsoleBranch } from "../wire/bodies.ts";
import { preview } from "../../../kernel/dialect/preview.ts";
import type { AppDeps } from "../../../kernel/server/app.ts";
import { both, keyOf, take } from "../envelopes.ts";
import { modelNames } from "../models.ts";
import { branchAt, historyOf } from "./session-history.ts";
import { summaryView, requireSession } from "./session-view.ts";
import { insightStore } from "../../../features/insights/store/store.ts";
import { integerParam } from "../../../kernel/api/integer-param.ts";

const MAX_OFFSET = 999_999;
const Filter = z.looseObject({
  q: z.string().max(1_000).optional(),
  source: z.string().max(200).optional(),
  workspace: z.string().max(4_096).optional(),
  model: z.string().max(200).optional(),
  has_tools: z.enum(["true", "false", "1", "0"]).optional(),
  limit: integerParam(0, MAX_OFFSET).default(20),
  offset: integerParam(0, MAX_OFFSET).default(0),
});
const MAX_PAGE = 200;
const EVER = { from: 0, to: Number.MAX_SAFE_INTEGER };

export function sessionPages({ journal }: AppDeps): FastifyPluginAsync {
  return async (app) => {
    app.get("/sessions", async ({ query }) => {
      const { limit, offset, has_tools, ...asked } = take(Filter, query);
      const given = Object.entries(asked).filter(([, value]) => value !== "");
      const page = { limit: Math.min(limit, MAX_PAGE), offset };
      const { sessions, total } = await journal.reads.sessionSummaries({
        ...filterFrom(Object.fromEntries(given)),
        ...(has_tools !== undefined && { hasTools: has_tools === "true" || has_tools === "1" }),
        ...page,
      });
      return both({ sessions: sessions.map(summaryView), total, ...page });
    });

    app.get("/sessions/:sessionId", async (request) => {
      const found = await requireSession(journal, request);
      return both({ session: await detailOf(journal, found) });
    });

    app.post("/sessions/:sessionId/title", async (request) => {
      const { session_id } = await requireSession(journal, request);
      const { title } = take(UpdateTitle.loose(), request.body);
      await journal.commands.updateTitle(session_id, { title: title.trim() || title });
      return both({ session_id, title });
    });

    app.delete("/sessions/:sessionId", async (request) => {
      const { session_id } = await requireSession(journal, request);
      await journal.commands.updateSession(session_id, { deleted: true });
      // Its events stay (ADR 20): `resume` brings it back.
      return both({ session_id, deleted: true, restorable: true });
    });

    app.post("/sessions/:sessionId/resume", async (request) => {
      const known = await requireSession(journal, request, { deleted: true });
      const { session_id, title, deleted } = known;
      if (deleted) await journal.commands.updateSession(session_id, { deleted: false });
      return both({
        session_id,
        status: "resumed",
        resume_supported: true,
        title,
        conversation_history: await historyOf(journal, known),
        session: summaryView({ ...known, deleted: false }),
      });
    });

    app.post("/sessions/:sessionId/branch", async (request) => {
      const known = await requireSession(journal, request);
      const asked = take(ConsoleBranch, request.body);
      const { at_message_index: index, title } = asked;
      return both(await branchAt(journal, known, { index, title, key: keyOf(asked, request) }));
    });
  };
}

type Given = Pick<z.infer<typeof Filter>, "q" | "source" | "workspace" | "model">;

function filterFrom({ q, source, workspace, model }: Partial<Given>) {
  return {
    ...(q !== undefined && { q }),
    ...(source !== undefined && { source }),
    ...(workspace !== undefined && { workspace }),
    ...(model !== undefined && { model }),
  };
}

async function detailOf(journal: Journal, session: SessionSummary) {
  const recap = await recapOf(journal, session);
  return {
    ...summaryView(session),
    ended_at: null, // a session can always go on
    end_reason: null,
    system_prompt: null, // a profile's, and read anew for every run
    metadata: {
      user_id: null,
      model_config: null,
      billing_provider: modelNames(session.model).provider,
      // null: nobody knows the price
      estimated_cost_usd: (
        await insightStore(journal).insightTotals({ ...EVER, sessionId: session.session_id })
      ).cost_usd,
      tool_calls: session.tool_calls,
    },
    recap,
    lineage: await lineageOf(journal, session),
  };
}

/** A branch has its parent's past, which no summary counts: only there everything is read. */
async function recapOf(journal: Journal, session: SessionSummary) {
  const branched = session.parent_session_id !== null;
  const history = await historyOf(journal, session, branched ? Infinity : 1);
  const newest = history.at(-1);
  return {
    message_count: Math.max(session.messages, history.length),
    preview: newest ? preview(newest.content) : session.preview,
    last_role: newest?.role ?? null,
  };
}

// Where a session comes from and what was branched off it.
const FARTHEST = 32;
const MAX_CHILDREN = 50;

async function lineageOf(journal: Journal, session: SessionSummary) {
  const point = await journal.reads.branchedFrom(session.session_id);
  const ancestors: { session_id: string; title: string }[] = [];
  for (let at = session.parent_session_id; at !== null && ancestors.length < FARTHEST;) {
    const parent = await journal.reads.session(at);
    if (!parent) break;
    ancestors.push({ session_id: parent.session_id, title: parent.title });
    at = parent.parent_session_id;
  }
  const { sessions: children } = await journal.reads.sessionSummaries({
    parent: session.session_id,
    limit: MAX_CHILDREN,
    offset: 0,
  });
  return {
    parent_session_id: session.parent_session_id,
    branched_from: point
      ? { session_id: point.sessionId, run_id: point.runId, seq: point.seq }
      : null,
    ancestors, // the nearest first
    children: children.map(({ session_id, title }) => ({ session_id, title })),
  };
}
