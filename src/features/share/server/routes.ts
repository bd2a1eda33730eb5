// Native API: a session or a run as one file, and such a file as a session. What goes out is a download and never a
// page of ours; what comes in is checked to its end before anything of it is kept.
import { Readable } from "node:stream";
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from "fastify";
import { ApiError } from "../../../kernel/events/errors.ts";
import { MAX_IMPORT_BYTES, type ShareFormat } from "../../../kernel/events/share-policy.ts";
import type { AppDeps } from "../../../kernel/server/app.ts";
import { defaultsFor } from "../../../kernel/server/defaults.ts";
import { prepareShare } from "./export.ts";
import { pageOf, readViewer, withBreaks } from "./html.ts";
import { importRecording } from "./import.ts";
import { shareName } from "./share-name.ts";
import { importedFrom, sourceOfRun, sourceOfSession, type ShareSource } from "./source.ts";
import { mount, takeFiles } from "../../../kernel/server/mount.ts";
import { importApi, shareApi, type ExportQuery } from "../api.ts";
import { noRun, noSession, requireFound } from "../../../kernel/server/routes/replies.ts";

const TYPES: Record<ShareFormat, string> = {
  html: "text/html; charset=utf-8",
  json: "application/x-ndjson; charset=utf-8",
};
const SANDBOX = "sandbox; default-src 'none'";

export function shareRoutes(deps: AppDeps): FastifyPluginAsync {
  const { journal } = deps;
  const routes = mount(shareApi, {
    exportSession: async ({ params, query, request, reply }) => {
      const source = await sourceOfSession(journal, await requireSession(params.sessionId));
      return sendExport(reply, request, { source, query });
    },
    exportRun: async ({ params: { runId }, query, request, reply }) => {
      const run = requireFound(await journal.reads.run(runId), noRun(runId));
      const source = await sourceOfRun(journal, await requireSession(run.session_id), run);
      return sendExport(reply, request, { source, query });
    },
    getRecording: async ({ params, reply }) => {
      const from = await importedFrom(journal, await requireSession(params.sessionId));
      if (!from) throw new ApiError("not_found", "This session was not imported.");
      const size = requireFound(await journal.blobs.size(from.recording), NO_FILE);
      return reply
        .header("content-type", TYPES.json)
        .header("content-length", size)
        .header("content-security-policy", SANDBOX)
        .send(journal.blobs.read(from.recording));
    },
  });
  return async (app) => {
    await routes(app, {});
    await app.register(importRoute(deps));
  };

  async function requireSession(sessionId: string) {
    return requireFound(await journal.reads.session(sessionId), noSession(sessionId));
  }

  async function sendExport(
    reply: FastifyReply,
    request: FastifyRequest,
    { source, query }: Export,
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

type Export = { readonly source: ShareSource; readonly query: ExportQuery };
const NO_FILE = { code: "blob_not_found", message: "The file it was made of is gone." } as const;

function importRoute(deps: AppDeps): FastifyPluginAsync {
  let busy = false;
  const routes = mount(importApi, {
    importRecording: async ({ query: { again }, body, request, reply }) => {
      reply.header("connection", "close"); // what is not read of a refused body is not waited for
      if (Number(request.headers["content-length"]) > MAX_IMPORT_BYTES) throw tooLarge();
      if (!(body instanceof Readable)) {
        const message = "Send the file as application/octet-stream.";
        throw new ApiError("unsupported_media_type", message);
      }
      if (busy) throw new ApiError("rate_limited", "Another file is being imported. Try again.");
      busy = true; // each may take as much memory as the bound allows
      try {
        const file = await received(body);
        const by = whoAsks(request);
        const imported = { journal: deps.journal, defaults: await defaultsFor(deps, undefined) };
        const { outcome, note } = await importRecording(file, {
          ...imported,
          again: again === "1",
        });
        await deps.noteExport?.({ ...note, by });
        return outcome;
      } finally {
        busy = false;
      }
    },
  });
  return async (app) => {
    takeFiles(app);
    await routes(app, {});
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
