// Serves complete outputs by hash, also ranges. Always as an attachment: what a tool printed is never a page of ours.
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from "fastify";
import type { BlobStore } from "../../blobs/blobs.ts";
import type { Journal } from "../../journal/journal.ts";
import { AUDIO_ENDINGS, isAudioType } from "../../events/audio-type.ts";
import { blobsApi } from "../../api/routes/blobs.ts";
import { ApiError } from "../../events/errors.ts";
import { isImageType } from "../../events/media-type.ts";
import { mount } from "../mount.ts";
import { requireFound } from "./replies.ts";

export function blobRoutes({ blobs }: Journal): FastifyPluginAsync {
  return mount(blobsApi, {
    getBlob: async ({ params: { sha256 }, query: { name }, request, reply }) => {
      const size = requireFound(await blobs.size(sha256), NO_OUTPUT);
      const content = { sha256, size, type: "application/octet-stream", name };
      return sendBlob(blobs, content, [request, reply]);
    },
  });
}

const NO_OUTPUT = { code: "blob_not_found", message: "There is no such output." } as const;

export type Content = {
  readonly sha256: string;
  readonly size: number;
  readonly type: string;
  /** What it is called when it is kept, as a query gives it. */
  readonly name: unknown;
  /** Shown where it is asked for; otherwise kept as a file. */
  readonly inline?: boolean;
};

/** All of it or one range. Whatever it is, nothing in it runs. */
export function sendBlob(
  blobs: BlobStore,
  { sha256, size, type, name, inline = false }: Content,
  [{ headers }, reply]: readonly [FastifyRequest, FastifyReply],
): FastifyReply {
  const range = rangeOf(headers.range, size);
  reply.headers({
    "content-type": type,
    "content-disposition": `${inline ? "inline" : "attachment"}; ${fileName(name, sha256, type)}`,
    "content-security-policy": "sandbox; default-src 'none'",
    "accept-ranges": "bytes",
  });
  if (!range) return reply.header("content-length", size).send(blobs.read(sha256));
  const { start, end } = range;
  reply.status(206).header("content-range", `bytes ${start}-${end}/${size}`);
  return reply.header("content-length", end - start + 1).send(blobs.read(sha256, range));
}

/** What it is called when it is kept: a plain name for old programs, and the whole one (RFC 6266). */
function fileName(name: unknown, sha256: string, type: string): string {
  const given = typeof name === "string" ? name.split(/[\\/]/).at(-1)?.slice(0, MAX_NAME) : "";
  if (!given) return `filename="${sha256.slice(0, 16)}.${endingOf(type)}"`;
  const plain = given.replaceAll(/[^\w. -]/g, "_");
  const whole = encodeURIComponent(given.toWellFormed()).replaceAll(/['()*]/g, escaped);
  return `filename="${plain}"; filename*=UTF-8''${whole}`;
}

const MAX_NAME = 255;

function endingOf(type: string): string {
  if (isAudioType(type)) return AUDIO_ENDINGS[type];
  return isImageType(type) ? type.slice("image/".length) : "txt";
}

function escaped(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

function rangeOf(header: string | undefined, size: number) {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? "");
  if (!match || (match[1] === "" && match[2] === "")) return undefined;
  const suffix = match[1] === "";
  const start = suffix ? Math.max(0, size - Number(match[2])) : Number(match[1]);
  const end = suffix || match[2] === "" ? size - 1 : Math.min(Number(match[2]), size - 1);
  if (start <= end) return { start, end };
  throw new ApiError("range_not_satisfiable", `The output has ${size} bytes.`, { size });
}
