// Files that come with a message: the raw body goes to the blob store as it arrives and is cut off at the
// limit. Not JSON, so it needs a type and a header that no form of another site can send, and like every
// change the proof that our own page (or a token) asks.
import type { Readable } from "node:stream";
import type { FastifyPluginAsync } from "fastify";
import type { BlobStore } from "../../journal/blobs.ts";
import type { Journal } from "../../journal/journal.ts";
import type { UploadedFile } from "../../protocol/api-records.ts";
import { MAX_ATTACHMENT_BYTES, MAX_FILE_NAME } from "../../protocol/attachment-limits.ts";
import { ApiError } from "../../protocol/errors.ts";
import { mediaTypeOf, SNIFF_BYTES, type MediaType } from "../../protocol/media-type.ts";
import { data } from "./replies.ts";

export function attachmentRoutes({ blobs }: Journal): FastifyPluginAsync {
  return async (app) => {
    app.removeAllContentTypeParsers(); // of this route alone: JSON is no file
    app.addContentTypeParser("application/octet-stream", (_request, payload, done) =>
      done(null, payload),
    );
    app.post("/", async ({ headers, body }, reply) => {
      reply.header("connection", "close"); // what is not read of a refused body is not waited for
      const name = nameOf(headers["x-file-name"]);
      if (Number(headers["content-length"]) > MAX_ATTACHMENT_BYTES) throw tooLarge();
      if (body === undefined || body === null) throw noFile();
      const stored = await store(blobs, body as Readable);
      return data({ ...stored, name } satisfies UploadedFile);
    });
  };
}

async function store(blobs: BlobStore, body: Readable) {
  const blob = blobs.create();
  const type = createSniffer();
  let bytes = 0;
  try {
    // Not destroyed when we stop in the middle: the refusal has to go out on the same connection.
    for await (const chunk of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > MAX_ATTACHMENT_BYTES) throw tooLarge();
      type.push(chunk);
      await blob.write(chunk);
    }
    return { ...(await blob.finish()), media_type: type.end() };
  } catch (error) {
    await blob.discard();
    throw body.readableAborted ? cutOff() : refusalOf(error);
  }
}

/** The beginning tells most kinds; text must be text to its end. */
function createSniffer() {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let start = Buffer.alloc(0);
  let isText = true;
  const decode = (chunk: Buffer | undefined) => {
    try {
      decoder.decode(chunk, { stream: chunk !== undefined });
    } catch {
      isText = false;
    }
  };
  return {
    push(chunk: Buffer) {
      const room = SNIFF_BYTES - start.length;
      if (room > 0) start = Buffer.concat([start, chunk.subarray(0, room)]);
      if (isText && chunk.includes(0)) isText = false;
      if (isText) decode(chunk);
    },
    end(): MediaType {
      if (isText) decode(undefined);
      const type = mediaTypeOf(start, { whole: start.length < SNIFF_BYTES });
      return type === "text/plain" && !isText ? "application/octet-stream" : type;
    },
  };
}

/** The last part of a path: where it lay on somebody's disk is nobody's business. */
function nameOf(header: string | string[] | undefined): string {
  if (typeof header !== "string") throw invalid("x-file-name: must be there, URI-encoded");
  let given: string;
  try {
    given = decodeURIComponent(header);
  } catch {
    throw invalid("x-file-name: is not URI-encoded");
  }
  const name = given.split(/[\\/]/).at(-1)?.trim() ?? "";
  if (name === "" || name.length > MAX_FILE_NAME || name.includes("\0")) {
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

function tooLarge(): ApiError {
  const message = `A file may have at most ${MAX_ATTACHMENT_BYTES / 1_000_000} MB.`;
  return new ApiError("too_large", message, { max_bytes: MAX_ATTACHMENT_BYTES });
}

function cutOff(): ApiError {
  return invalid("The upload was cut off.");
}

function refusalOf(error: unknown): unknown {
  const code = (error as NodeJS.ErrnoException).code;
  if (code !== "ENOSPC" && code !== "EDQUOT") return error;
  return new ApiError("storage_full", "The disk is full: the file was not kept. Free some space.");
}
