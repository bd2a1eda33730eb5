// Brings the files of a message into the blob store, as uploads of the page are. One that cannot be had keeps nothing
// else up: the message is taken without it, and whoever wrote it is told.
import { setTimeout as delay } from "node:timers/promises";
import { MAX_ATTACHMENT_BYTES, MAX_ATTACHMENTS } from "../../../kernel/events/attachment-limits.ts";
import type { Attachment } from "../../../kernel/events/catalogue/lifecycle.ts";
import { ApiError } from "../../../kernel/events/errors.ts";
import { visibleLine } from "../../../kernel/text/visible-text.ts";
import { problemOf, type Adapter, type IncomingFile } from "./adapter.ts";

/** Stores it as it comes; throws an ApiError `too_large`. */
export type KeepFile = (
  chunks: AsyncIterable<Uint8Array>,
) => Promise<Required<Pick<Attachment, "sha256" | "bytes" | "media_type">>>;

export type Fetched = {
  readonly attachments: readonly Attachment[]; // those that are missing, too: by name alone
  readonly missing: readonly string[]; // a sentence for each
};

type Fetching = {
  readonly adapter: Adapter;
  readonly keepFile: KeepFile;
  readonly signal: AbortSignal;
  readonly logError: (message: string, error: unknown) => void;
};

const FETCH_MS = 60_000; // of all files of a message: others wait behind it
const TRIES = 3;
const PAUSE_MS = 500;
const UNKNOWN_TYPE = "application/octet-stream";
const TOO_LARGE = `it has more than ${MAX_ATTACHMENT_BYTES / 1_000_000} MB`;

export async function fetchFiles(
  fetching: Fetching,
  files: readonly IncomingFile[],
): Promise<Fetched> {
  const { signal } = fetching;
  const limited = { ...fetching, signal: AbortSignal.any([signal, AbortSignal.timeout(FETCH_MS)]) };
  const attachments: Attachment[] = [];
  const missing: string[] = [];
  for (const file of files.slice(0, MAX_ATTACHMENTS)) {
    const name = nameOf(file);
    const got = await fetchOne(limited, file);
    signal.throwIfAborted(); // it is sent to us again
    if (typeof got !== "string") attachments.push({ name, ...got });
    else {
      attachments.push({ name, media_type: UNKNOWN_TYPE });
      missing.push(`“${name}” was not read: ${got}.`);
    }
  }
  const rest = files.length - MAX_ATTACHMENTS;
  if (rest > 0)
    missing.push(`Only ${MAX_ATTACHMENTS} files of a message are read, ${rest} were not.`);
  return { attachments, missing };
}

/** Why not, in a few words. */
async function fetchOne(
  { adapter, keepFile, signal, logError }: Fetching,
  file: IncomingFile,
): Promise<string | Awaited<ReturnType<KeepFile>>> {
  if (!adapter.download) return "files are not read here";
  if ((file.bytes ?? 0) > MAX_ATTACHMENT_BYTES) return TOO_LARGE;
  for (let tries = 1; ; tries += 1) {
    try {
      return await keepFile(await adapter.download(file, signal));
    } catch (error) {
      if (signal.aborted) return "it took too long";
      if (error instanceof ApiError) return error.code === "too_large" ? TOO_LARGE : plain(error);
      const problem = problemOf(error);
      if (problem.kind === "internal") logError("a file was not kept", error);
      const passing = problem.kind === "unreachable" || problem.kind === "rate_limited";
      if (!passing || tries === TRIES) return plain(problem);
      await delay(problem.retryMs ?? PAUSE_MS * tries, undefined, { signal }).catch(
        () => undefined,
      );
    }
  }
}

function plain({ message }: Error): string {
  return visibleLine(message).replace(/\.$/, "").slice(0, 200);
}

function nameOf({ name }: IncomingFile): string {
  const last = name.split(/[\\/]/).at(-1)?.trim() ?? "";
  return visibleLine(last).slice(0, 200).toWellFormed() || "file";
}
