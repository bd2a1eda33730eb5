// The lines of a file of ours, page or plain, from bytes that anyone may have made. Nothing is unpacked beyond the
// bound, however well it was packed, and nothing in it is run or shown here.
import { createGunzip } from "node:zlib";
import { ApiError } from "../../../kernel/events/errors.ts";
import { MAX_RECORDING_BYTES } from "../../../kernel/events/share-policy.ts";
import { DATA_BEGINS, DATA_ENDS } from "./html.ts";

const MARK = Buffer.from("\uFEFF"); // of byte order: some editors put it before every file
const PAGE = /^\s*<!doctype html>/i;
const PLAIN = /^\s*\{/;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
const SLACK = 65_536; // the manifest and the last line are no part of what is bounded

export async function unpack(file: Buffer): Promise<Buffer> {
  const whole = file.subarray(file.subarray(0, MARK.length).equals(MARK) ? MARK.length : 0);
  const start = whole.subarray(0, 64).toString("latin1");
  if (PLAIN.test(start)) return within(whole);
  if (!PAGE.test(start)) throw notOurs("It is neither a page nor lines of JSON.");
  const from = file.indexOf(DATA_BEGINS);
  const to = from < 0 ? -1 : file.indexOf(DATA_ENDS, from);
  if (to < 0) throw notOurs("The page has no recording in it.");
  const text = file.subarray(from + DATA_BEGINS.length, to).toString("latin1");
  if (!BASE64.test(text)) throw notOurs("What the page holds is not base64.");
  return gunzip(Buffer.from(text, "base64"));
}

function within(file: Buffer): Buffer {
  if (file.length > MAX_RECORDING_BYTES + SLACK) throw tooLarge();
  return file;
}

/** Stops in the middle: what would become too large is never there as a whole. */
function gunzip(bytes: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const gzip = createGunzip();
    const chunks: Buffer[] = [];
    let size = 0;
    gzip.on("data", (chunk: Buffer) => {
      size += chunk.length;
      chunks.push(chunk);
      if (size > MAX_RECORDING_BYTES + SLACK) gzip.destroy(tooLarge());
    });
    gzip.once("end", () => resolve(Buffer.concat(chunks)));
    gzip.once("error", (error) =>
      reject(error instanceof ApiError ? error : notOurs("It cannot be unpacked.")),
    );
    gzip.end(bytes);
  });
}

export function notOurs(why: string): ApiError {
  const message = `This is not a recording of Quarterdeck. ${why}`;
  return new ApiError("invalid_request", message, { reason: "not_a_recording" });
}

function tooLarge(): ApiError {
  const message = `A recording may have at most ${MAX_RECORDING_BYTES >> 20} MB when it is unpacked.`;
  return new ApiError("too_large", message, { max_bytes: MAX_RECORDING_BYTES });
}
