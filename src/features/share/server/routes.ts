// Native API: a session or a run as one file, and such a file as a session. What goes out is a download and never a
// page of ours; what comes in is checked to its end before anything of it is kept.
import { Readable } from "node:stream";
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { ApiError, parse } from "../../../kernel/events/errors.ts";
import {
  MAX_IMPORT_BYTES,
  SHARE_FORMATS,
  SHARE_PARTS,
  SHARE_POLICIES,
  type ShareFormat,
} from "../../../kernel/events/share-policy.ts";
import type { AppDeps } from "../../../kernel/server/app.ts";
import { defaultsFor } from "../../../kernel/server/defaults.ts";
import { prepareShare } from "./export.ts";
import { pageOf, readViewer, withBreaks } from "./html.ts";
import { importRecording } from "./import.ts";
import { shareName } from "./share-name.ts";
import { importedFrom, sourceOfRun, sourceOfSession, type ShareSource } from "./source.ts";
import {
  noRun,
  noSession,
  runIdOf,
  sendOutcome,
  sessionIdOf,
} from "../../../kernel/server/routes/replies.ts";

const Part = z.enum(SHARE_PARTS);
const ShareQuery = z.object({
  format: z.enum(SHARE_FORMATS).default("html"),
  policy: z.enum(SHARE_POLICIES).default("share"),
  without: z
    .string()
    .max(200)
    .default("")
    .transform((text) => text.split(",").filter((part) => part !== ""))
    .pipe(z.array(Part)),
});
type ShareQuery = z.infer<typeof ShareQuery>;
const Import = z.object({ again: z.enum(["0", "1"]).default("0") });

const TYPES: Record<ShareFormat, string> = {
  html: "text/html; charset=utf-8",
  json: "application/x-ndjson; charset=utf-8",
};
const SANDBOX = "sandbox; default-src 'none'";

export function shareRoutes(deps: AppDeps): FastifyPluginAsync {
  const { journal } = deps;
  return async (app) => {
    app.get("/sessions/:sessionId/export", async (request, reply) => {
      const query = parse(ShareQuery, request.query);
      const source = await sourceOfSession(
        journal,
        await requireSession(sessionIdOf(request.params)),
      );
      return emit(reply, request, { source, query });
    });

    app.get("/runs/:runId/export", async (request, reply) => {
      const query = parse(ShareQuery, request.query);
      const runId = runIdOf(request.params);
      const run = await journal.reads.run(runId);
      if (!run) throw new ApiError("run_not_found", noRun(runId).message);
      const source = await sourceOfRun(journal, await requireSession(run.session_id), run);
      return emit(reply, request, { source, query });
    });

    app.get("/sessions/:sessionId/recording", async ({ params }, reply) => {
      const from = await importedFrom(journal, await requireSession(sessionIdOf(params)));
      if (!from) throw new ApiError("not_found", "This session was not imported.");
      const size = await journal.blobs.size(from.recording);
      if (size === undefined) {
        throw new ApiError("blob_not_found", "The file it was made of is gone.");
      }
      return reply
        .header("content-type", TYPES.json)
        .header("content-length", size)
        .header("content-security-policy", SANDBOX)
        .send(journal.blobs.read(from.recording));
    });

    await app.register(importRoute(deps));
  };

  async function requireSession(sessionId: string) {
    const session = await journal.reads.session(sessionId);
    if (!session) throw new ApiError("session_not_found", noSession(sessionId).message);
    return session;
  }

  async function emit(
    reply: FastifyReply,
    request: FastifyRequest,
    { source, query }: EmitOptions,
  ) {
    const { format, policy } = query;
    const viewer = format === "html" ? await readViewer(deps.webRoot) : null;
    const by = whoAsks(request);
    const asked = { ...query, by, at: Date.now() / 1000 };
    const { manifest, lines } = await prepareShare(source, journal.redactor, asked);
    const { session_id, run_id, without, events } = manifest;
    const about = { action: "export", by, session_id, run_id, events } as const;
    await deps.noteExport?.({ ...about, format, policy, without, outcome: "sent" });
    const bytes = viewer ? pageOf(viewer, manifest, lines()) : withBreaks(lines());
    return reply
      .header("content-type", TYPES[format])
      .header("content-disposition", `attachment; filename="${shareName(manifest, format)}"`)
      .header("content-security-policy", SANDBOX)
      .header("cache-control", "no-store")
      .send(Readable.from(bytes));
  }
}

type EmitOptions = { readonly source: ShareSource; readonly query: ShareQuery };

function importRoute(deps: AppDeps): FastifyPluginAsync {
  let busy = false;
  return async (app) => {
    app.removeAllContentTypeParsers(); // of this route alone: JSON is no file
    app.addContentTypeParser("application/octet-stream", (_request, payload, done) =>
      done(null, payload),
    );
    app.post("/import", async (request, reply) => {
      reply.header("connection", "close"); // what is not read of a refused body is not waited for
      const { again } = parse(Import, request.query);
      if (Number(request.headers["content-length"]) > MAX_IMPORT_BYTES) throw tooLarge();
      if (!(request.body instanceof Readable)) {
        const message = "Send the file as application/octet-stream.";
        throw new ApiError("unsupported_media_type", message);
      }
      if (busy) throw new ApiError("rate_limited", "Another file is being imported. Try again.");
      busy = true; // each may take as much memory as the bound allows
      try {
        const file = await received(request.body);
        const by = whoAsks(request);
        const imported = { journal: deps.journal, defaults: await defaultsFor(deps, undefined) };
        const { outcome, note } = await importRecording(file, {
          ...imported,
          again: again === "1",
        });
        await deps.noteExport?.({ ...note, by });
        return await sendOutcome(reply, outcome, noSession(""));
      } finally {
        busy = false;
      }
    });
  };
}

async function received(body: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    // Not destroyed when we stop in the middle: the refusal has to go out on the same connection.
    for await (const chunk of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > MAX_IMPORT_BYTES) throw tooLarge();
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof ApiError) throw error;
    throw new ApiError("invalid_request", "The upload was cut off.");
  }
  return Buffer.concat(chunks);
}

/** There is one token: who held it is all that is known. */
function whoAsks({ headers }: FastifyRequest): string {
  return headers.authorization === undefined ? "the page" : "the API";
}

function tooLarge(): ApiError {
  const message = `A file may have at most ${MAX_IMPORT_BYTES >> 20} MB.`;
  return new ApiError("too_large", message, { max_bytes: MAX_IMPORT_BYTES });
}
