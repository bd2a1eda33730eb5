// The body of an answer, unpacked, up to a limit. The limit counts what comes out: a few kilobytes
// that unpack to gigabytes cost no more memory than any other page.
import type { IncomingMessage } from "node:http";
import { pipeline, type Readable, type Transform } from "node:stream";
import { createBrotliDecompress, createInflate, createUnzip } from "node:zlib";

export const ACCEPT_ENCODING = "gzip, deflate, br";
const CHUNK = 16_384;

export type Body = { readonly bytes: Buffer; readonly truncated: boolean };

const UNPACKERS: Readonly<Record<string, () => Transform>> = {
  gzip: () => createUnzip({ chunkSize: CHUNK }),
  "x-gzip": () => createUnzip({ chunkSize: CHUNK }),
  deflate: () => createInflate({ chunkSize: CHUNK }),
  br: () => createBrotliDecompress({ chunkSize: CHUNK }),
};

/** Reads until the end or the limit; then the connection is closed. */
export async function readBody(message: IncomingMessage, maxBytes: number): Promise<Body> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of unpacked(message) as AsyncIterable<Buffer>) {
      chunks.push(chunk.subarray(0, maxBytes - size));
      size += chunk.byteLength;
      if (size > maxBytes) break;
    }
  } finally {
    message.destroy();
  }
  return { bytes: Buffer.concat(chunks), truncated: size > maxBytes };
}

function unpacked(message: IncomingMessage): Readable {
  const encoding = (message.headers["content-encoding"] ?? "identity").trim().toLowerCase();
  if (encoding === "identity" || encoding === "") return message;
  const unpacker = UNPACKERS[encoding];
  if (!unpacker) throw new Error(`The page is packed as “${encoding.slice(0, 50)}”.`);
  // The reader of the unpacker sees every error of both; this only ties their ends together.
  return pipeline(message, unpacker(), () => undefined);
}
