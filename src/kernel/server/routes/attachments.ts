// Uploads attachments: the raw body goes to the blob store as it arrives, up to the limit. It is not JSON, so it
// needs a content type and a header that no form of another site can send, and the proof that our page (or a token)
// asks.
import type { Readable } from "node:stream";
import type { FastifyPluginAsync } from "fastify";
import type { Journal } from "../../journal/journal.ts";
import { attachmentsApi } from "../../api/routes/attachments.ts";
import { MAX_ATTACHMENT_BYTES, MAX_FILE_NAME } from "../../events/attachment-limits.ts";
import { ApiError } from "../../events/errors.ts";
import { fileNameIn, storeUpload, tooLarge } from "../workspace/store-upload.ts";
import { mount, takeFiles } from "../mount.ts";

export function attachmentRoutes({ blobs }: Journal): FastifyPluginAsync {
  const routes = mount(attachmentsApi, {
    uploadAttachment: async ({ request: { headers }, body, reply }) => {
      reply.header("connection", "close"); // what is not read of a refused body is not waited for
      const name = nameOf(headers["x-file-name"]);
      if (Number(headers["content-length"]) > MAX_ATTACHMENT_BYTES) throw tooLarge();
      if (body === undefined || body === null) throw noFile();
      const payload = body as Readable;
      try {
        // Not destroyed when we stop in the middle: the refusal has to go out on the same connection.
        const stored = await storeUpload(blobs, payload.iterator({ destroyOnReturn: false }));
        return { ...stored, name };
      } catch (error) {
        throw payload.readableAborted ? invalid("The upload was cut off.") : error;
      }
    },
  });
  return async (app) => {
    takeFiles(app);
    await routes(app, {});
  };
}

function nameOf(header: string | string[] | undefined): string {
  if (typeof header !== "string") throw invalid("x-file-name: must be there, URI-encoded");
  let given: string;
  try {
    given = decodeURIComponent(header);
  } catch {
    throw invalid("x-file-name: is not URI-encoded");
  }
  const name = fileNameIn(given);
  if (name === undefined) {
    throw invalid(`x-file-name: must have 1 to ${MAX_FILE_NAME} characters`);
  }
  return name;
}

function invalid(message: string): ApiError {
  return new ApiError("invalid_request", message);
}

function noFile(): ApiError {
  return new ApiError("unsupported_media_type", "Send the file as application/octet-stream.");
}
