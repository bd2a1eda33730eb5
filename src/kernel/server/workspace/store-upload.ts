// Streams an upload into the blob store, up to the limit. Its bytes decide the media type; the last part of its path
// is its name.
import type { BlobStore } from "../../blobs/blobs.ts";
import { MAX_ATTACHMENT_BYTES, MAX_FILE_NAME } from "../../events/attachment-limits.ts";
import { ApiError } from "../../events/errors.ts";
import { mediaTypeOf, SNIFF_BYTES, type MediaType } from "../../events/media-type.ts";

export type StoredFile = {
  readonly sha256: string;
  readonly bytes: number;
  readonly media_type: MediaType;
};

/** Nothing is kept of what fails. */
export async function storeUpload(
  blobs: Pick<BlobStore, "create">,
  chunks: AsyncIterable<Uint8Array>,
): Promise<StoredFile> {
  const blob = blobs.create();
  const type = createSniffer();
  let bytes = 0;
  try {
    for await (const chunk of chunks) {
      bytes += chunk.length;
      if (bytes > MAX_ATTACHMENT_BYTES) throw tooLarge();
      type.push(chunk);
      await blob.write(chunk);
    }
    return { ...(await blob.finish()), media_type: type.end() };
  } catch (error) {
    await blob.discard();
    throw refusalOf(error);
  }
}

/** The beginning tells most kinds; text must be text to its end. */
function createSniffer() {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let start = Buffer.alloc(0);
  let isText = true;
  const decode = (chunk: Uint8Array | undefined) => {
    try {
      decoder.decode(chunk, { stream: chunk !== undefined });
    } catch {
      isText = false;
    }
  };
  return {
    push(chunk: Uint8Array) {
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

/** The last part of a path: where it lay on somebody's disk is nobody's business. Undefined: it is no name. */
export function fileNameIn(given: string): string | undefined {
  const name = given.split(/[\\/]/).at(-1)?.trim() ?? "";
  const isName = name !== "" && name.length <= MAX_FILE_NAME && !name.includes("\0");
  return isName ? name : undefined;
}

export function tooLarge(): ApiError {
  const message = `A file may have at most ${MAX_ATTACHMENT_BYTES / 1_000_000} MB.`;
  return new ApiError("too_large", message, { max_bytes: MAX_ATTACHMENT_BYTES });
}

function refusalOf(error: unknown): unknown {
  const code = (error as NodeJS.ErrnoException).code;
  if (code !== "ENOSPC" && code !== "EDQUOT") return error;
  return new ApiError("storage_full", "The disk is full: the file was not kept. Free some space.");
}
