// One file out of a multipart/form-data body. The body is bounded before it is read, the number of its parts before
// it is taken apart: neither costs more than one upload may.
import type { Readable } from "node:stream";
import type { FastifyRequest } from "fastify";
import { MAX_ATTACHMENT_BYTES } from "../../kernel/events/attachment-limits.ts";
import { tooLarge } from "../../kernel/server/workspace/store-upload.ts";
import { ConsoleError } from "./envelopes.ts";

const AROUND = 65_536; // boundaries, heads and small fields
const MAX_PARTS = 20;

export async function fileIn({ headers, body }: FastifyRequest): Promise<File> {
  const type = headers["content-type"] ?? "";
  const boundary = /;\s*boundary=(?:"([^"\\]{1,70})"|([^\s;"\\]{1,70}))/i.exec(type);
  const mark = boundary?.[1] ?? boundary?.[2];
  if (mark === undefined) throw refused("The body has no boundary.");
  if (Number(headers["content-length"]) > MAX_ATTACHMENT_BYTES + AROUND) throw tooLarge();
  const bytes = await collected(body as Readable);
  if (hasMore(bytes, `--${mark}`)) throw refused(`More than ${MAX_PARTS} parts.`);
  // With the boundary that was counted: a header may name another one to whoever reads it otherwise.
  const counted = `multipart/form-data; boundary="${mark}"`;
  const form = await new Response(bytes, { headers: { "content-type": counted } })
    .formData()
    .catch(() => {
      throw refused("The body is no multipart/form-data.");
    });
  const all = [...form.entries()].flatMap(([name, value]) => (value instanceof File ? name : []));
  const file = form.get("file");
  if (!(file instanceof File)) throw missing();
  if (all.length > 1) throw refused("One file at a time.");
  return file;
}

async function collected(body: Readable): Promise<Buffer<ArrayBuffer>> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    // Not destroyed when we stop in the middle: the refusal has to go out on the same connection.
    for await (const chunk of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > MAX_ATTACHMENT_BYTES + AROUND) throw tooLarge();
      chunks.push(chunk);
    }
  } catch (error) {
    throw body.readableAborted ? refused("The upload was cut off.") : error;
  }
  return Buffer.concat(chunks);
}

/** Whether there are too many parts: one mark before each, and one behind the last. */
function hasMore(bytes: Buffer, mark: string): boolean {
  let at = bytes.indexOf(mark);
  for (let marks = 1; at >= 0 && marks <= MAX_PARTS + 1; marks += 1) {
    at = bytes.indexOf(mark, at + mark.length);
  }
  return at >= 0;
}

function refused(message: string): ConsoleError {
  return new ConsoleError("invalid_request", message);
}

function missing(): ConsoleError {
  return new ConsoleError("missing_file", "Send one file, in the field `file`.");
}
