// A file of ours, checked to its last line before anything of it is kept.
import { createHash, hash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { createGunzip } from "node:zlib";
import { ApiError } from "../../../kernel/events/errors.ts";
import type { RunEvent } from "../../../kernel/events/events.ts";
import {
  RecordingContent,
  RecordingEnd,
  RecordingManifest,
} from "../../../kernel/events/recording-file.ts";
import {
  MAX_RECORDING_CONTENTS,
  RECORDING_VERSION,
  MAX_RECORDING_BYTES,
} from "../../../kernel/events/share-policy.ts";
import { PROTOCOL_VERSION } from "../../../kernel/events/version.ts";
import { parseBody } from "../../../kernel/server/json-body.ts";
import { broken, eventChecks } from "./check-events.ts";
import { CONTENT_BEGINS, EVENT_BEGINS } from "./recorded-lines.ts";
import { DATA_BEGINS, DATA_ENDS } from "./html.ts";

export type ReadRecording = {
  readonly manifest: RecordingManifest;
  readonly digest: string;
  /** The plain form. */
  readonly bytes: Buffer;
  readonly events: readonly RunEvent[];
};

const AT_ONCE = 500; // lines: to check a long one in one go would hold up everyone else

export async function readRecording(file: Buffer): Promise<ReadRecording> {
  const bytes = await unpack(file);
  const lines = linesIn(bytes);
  const first = lines.next().value;
  const manifest = manifestOf(first);
  const checks = eventChecks(manifest);
  const events: RunEvent[] = [];
  const contents = new Set<string>();
  const digest = createHash("sha256");
  let count = 0;
  for (const line of lines) {
    if (line.startsWith('{"end":')) {
      const { end } = parsed(RecordingEnd, line);
      const sha256 = digest.digest("hex");
      if (end.sha256 !== sha256 || end.lines !== count) throw broken("It was changed or cut.");
      if (lines.next().done !== true) throw broken("There is something after its end.");
      checks.end();
      if (contents.size !== manifest.contents) throw broken("Contents are missing.");
      return { manifest, digest: sha256, bytes, events };
    }
    count += 1;
    digest.update(line).update("\n");
    if (line.startsWith('{"content":')) addContent(contents, line);
    else {
      if (contents.size > 0) throw broken("An event comes after the contents.");
      const value = json(line);
      checks.add(line, value);
      asWritten(line, EVENT_BEGINS);
      events.push(value as RunEvent);
    }
    if (count % AT_ONCE === 0) await setImmediate();
  }
  throw broken("It was cut off: its last line is missing.");
}

function manifestOf(line: string | undefined): RecordingManifest {
  const value = line === undefined ? undefined : json(line);
  const { quarterdeck, version, protocol } = (value ?? {}) as Record<string, unknown>;
  if (quarterdeck !== "recording") throw notOurs("Its first line is not that of one.");
  if (Number(version) > RECORDING_VERSION || Number(protocol) > PROTOCOL_VERSION) {
    const message = `This recording was made by a newer Quarterdeck (version ${String(version)}, protocol ${String(protocol)}). Update this one to open it.`;
    throw new ApiError("invalid_request", message, { reason: "newer_recording" });
  }
  return parsed(RecordingManifest, line ?? "");
}

function addContent(contents: Set<string>, line: string): void {
  const { content } = parsed(RecordingContent, line);
  asWritten(line, CONTENT_BEGINS);
  const bytes = Buffer.from(content.base64, "base64");
  const fits = bytes.length === content.bytes && hash("sha256", bytes) === content.sha256;
  if (!fits) throw broken(`The content ${content.sha256} is not what its name says.`);
  if (contents.has(content.sha256)) throw broken("A content stands in it twice.");
  contents.add(content.sha256);
  if (contents.size > MAX_RECORDING_CONTENTS) throw broken("It has too many contents.");
}

/** Where something was taken out no hash tells; and what begins otherwise would be lost when it is told again. */
function asWritten(line: string, begins: string): void {
  if (!line.startsWith(begins)) throw broken("A line is not written as Quarterdeck writes it.");
}

type Schema<Value> = { safeParse(value: unknown): { success: boolean; data?: Value | undefined } };

function parsed<Value>(schema: Schema<Value>, line: string): Value {
  const { success, data } = schema.safeParse(json(line));
  if (!success || data === undefined) throw broken(`A line is wrong: ${line.slice(0, 60)}…`);
  return data;
}

/** Bounded in depth, and UTF-8. */
function json(line: string): unknown {
  return parseBody(Buffer.from(line));
}

function* linesIn(bytes: Buffer): Generator<string> {
  for (let from = 0; from < bytes.length;) {
    const found = bytes.indexOf(10, from);
    const to = found < 0 ? bytes.length : found;
    const line = decode(bytes.subarray(from, to));
    from = to + 1;
    if (line !== "") yield line;
  }
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw broken("It is not UTF-8.");
  }
}

// The lines of a file of ours, page or plain, from bytes that anyone may have made. Nothing is unpacked beyond the
// bound, however well it was packed, and nothing in it is run or shown here.
const MARK = Buffer.from("\uFEFF"); // of byte order: some editors put it before every file
const PAGE = /^\s*<!doctype html>/i;
const PLAIN = /^\s*\{/;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
const SLACK = 65_536; // the manifest and the last line are no part of what is bounded

async function unpack(file: Buffer): Promise<Buffer> {
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

function notOurs(why: string): ApiError {
  const message = `This is not a recording of Quarterdeck. ${why}`;
  return new ApiError("invalid_request", message, { reason: "not_a_recording" });
}

function tooLarge(): ApiError {
  const message = `A recording may have at most ${MAX_RECORDING_BYTES >> 20} MB when it is unpacked.`;
  return new ApiError("too_large", message, { max_bytes: MAX_RECORDING_BYTES });
}
