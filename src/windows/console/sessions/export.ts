// Downloads a session as a file. It is an attachment, so a browser saves it and never shows it as a page of ours.
import type { FastifyPluginAsync } from "fastify";
import { z } from "zod";
import { EXPORT_FORMATS, exportName, exportSession, MEDIA_TYPES } from "../wire/export.ts";
import { isoTime } from "../../../kernel/dialect/iso-time.ts";
import type { AppDeps } from "../../../kernel/server/app.ts";
import { take } from "../envelopes.ts";
import { summaryView, requireSession } from "./session-view.ts";
import { emit } from "./transcript.ts";

const Query = z.looseObject({ format: z.enum(EXPORT_FORMATS).default("md") });

export function exportPages({ journal }: AppDeps): FastifyPluginAsync {
  return async (app) => {
    app.get("/sessions/:sessionId/export", async (request, reply) => {
      const session = await requireSession(journal, request);
      const { format } = take(Query, request.query);
      const emitted = await emit(journal, session.session_id, session.seq);
      const exported_at = isoTime(Date.now() / 1000);
      const text = exportSession(
        { session: summaryView(session), ...emitted, exported_at },
        format,
      );
      const about = { session_id: session.session_id, run_id: null, format, policy: "console" };
      await journal.systemLog.note([{ type: "export.made", payload: { by: "console", ...about } }]);
      return reply
        .header("content-type", MEDIA_TYPES[format])
        .header("content-disposition", `attachment; filename="${exportName(session, format)}"`)
        .header("content-security-policy", "sandbox; default-src 'none'")
        .send(text);
    });
  };
}
