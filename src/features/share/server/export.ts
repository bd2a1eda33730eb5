// A session or run as the lines of a file. Everything is gone through twice: once to know what will be in it, how
// large it is and what was taken out, so that the file begins with that and a refusal is one; then to tell it.
import { createHash } from "node:crypto";
import type { Redact } from "../../../kernel/redact/draft.ts";
import type { Redactor } from "../../../kernel/redact/redact.ts";
import { ApiError } from "../../../kernel/events/errors.ts";
import type { RunEvent } from "../../../kernel/events/events.ts";
import type { RecordingContent, RecordingManifest } from "../../../kernel/events/recording-file.ts";
import {
  CONTENT_BOUNDS,
  LEFT_OUT_BY,
  MAX_RECORDING_BYTES,
  MAX_RECORDING_CONTENTS,
  RECORDING_VERSION,
  type SharePart,
  type SharePolicy,
} from "../../../kernel/events/share-policy.ts";
import { PROTOCOL_VERSION, VERSION } from "../../../kernel/events/version.ts";
import { namedContents, type NamedContent } from "./named-contents.ts";
import { cleaned, leftOut, withoutHomes, type Taking } from "./redact-event.ts";
import type { ShareSource, StoredEvent } from "./source.ts";
import { streamedText, type Replace, type StreamedText } from "./streamed-text.ts";

export type ShareRequest = {
  readonly policy: SharePolicy;
  readonly without: readonly SharePart[]; // beside what the policy leaves out
  readonly by: string;
  readonly at: number; // unix seconds
};
export type Share = {
  readonly manifest: RecordingManifest;
  readonly bytes: number; // about: of the lines
  readonly lines: () => AsyncIterable<string>;
};

type Contents = Pick<RecordingManifest, "missing"> & { readonly kept: readonly string[] };
type Survey = { events: number; redacted: number; bytes: number; named: NamedContent[] };

export async function prepareShare(
  source: ShareSource,
  redactor: Redactor | undefined,
  { policy, without, by, at }: ShareRequest,
): Promise<Share> {
  const parts = [...new Set([...LEFT_OUT_BY[policy], ...without])].toSorted();
  const redact: Redact = redactor?.text ?? ((text) => text);
  const known: Redact = policy === "share" ? (text) => withoutKeys(redact(text)) : redact;
  const clean: Redact = parts.includes("paths") ? (text) => withoutHomes(known(text)) : known;
  const taking: Taking = { without: parts, clean };
  const streamed = streamedText(clean);
  const found = await survey(source, taking, streamed);
  const contents = await chooseContents(source, found.named, { policy, taking });
  const bytes = found.bytes + contents.bytes;
  if (bytes > MAX_RECORDING_BYTES) throw tooLarge();
  const { events, redacted } = found;
  const manifest: RecordingManifest = {
    quarterdeck: "recording",
    version: RECORDING_VERSION,
    protocol: PROTOCOL_VERSION,
    program: VERSION,
    kind: source.kind,
    session_id: source.sessionId,
    run_id: source.runId,
    title: clean(source.title).slice(0, 1_000),
    created_at: source.createdAt,
    exported_at: at,
    exported_by: by,
    policy,
    without: parts,
    events,
    verified: events - redacted,
    redacted,
    contents: contents.kept.length,
    missing: contents.missing,
  };
  const emitted = { source, taking, streamed, manifest, kept: contents.kept };
  return { manifest, bytes, lines: () => linesOf(emitted) };
}

async function survey(
  source: ShareSource,
  taking: Taking,
  streamed: StreamedText,
): Promise<Survey> {
  const found: Survey = { events: 0, redacted: 0, bytes: 0, named: [] };
  const seen = new Set<string>();
  for await (const stored of source.events()) {
    const left = leftOut(stored.event, taking.without);
    streamed.look(left);
    const taken = cleaned(left, taking.clean);
    count(found, stored, taken);
    for (const content of namedContents(taken)) {
      if (seen.has(content.sha256)) continue;
      seen.add(content.sha256);
      found.named.push(content);
    }
  }
  streamed.lookedAtAll();
  if (!streamed.replaces()) return found;
  return { ...(await countedAgain(source, taking, streamed)), named: found.named };
}

/** Only after all of it was looked at it is known which pieces change. */
async function countedAgain(source: ShareSource, taking: Taking, streamed: StreamedText) {
  const replace = streamed.replacing();
  const found = { events: 0, redacted: 0, bytes: 0 };
  for await (const stored of source.events()) {
    count(found, stored, takenOut(stored.event, taking, replace));
  }
  return found;
}

/** As it will be told: what is left out makes room, and a mark takes some. */
function count(found: Omit<Survey, "named">, stored: StoredEvent, taken: RunEvent): void {
  found.events += 1;
  if (taken !== stored.event || wasRedacted(taken)) found.redacted += 1;
  found.bytes += Buffer.byteLength(bodyOf(stored, taken)) + 1;
  if (found.bytes > MAX_RECORDING_BYTES) throw tooLarge();
}

function takenOut(event: RunEvent, { without, clean }: Taking, replace: Replace): RunEvent {
  return cleaned(replace(leftOut(event, without)), clean);
}

type Choosing = { readonly policy: SharePolicy; readonly taking: Taking };

async function chooseContents(
  source: ShareSource,
  named: readonly NamedContent[],
  { policy, taking: { without, clean } }: Choosing,
): Promise<Contents & { bytes: number }> {
  const bounds = CONTENT_BOUNDS[policy];
  const missing = { large: 0, secret: 0, gone: 0, policy: 0 };
  const kept: string[] = [];
  let [all, bytes] = [0, 0];
  for (const { sha256, kind } of named) {
    if (without.includes(kind === "file" ? "files" : "tool-output")) {
      missing.policy += 1;
      continue;
    }
    const size = await source.sizeOf(sha256);
    if (size === undefined) missing.gone += 1;
    else if (size > bounds.each || all + size > bounds.all) missing.large += 1;
    else if (kept.length === MAX_RECORDING_CONTENTS) missing.large += 1;
    else if (hides(await source.contentOf(sha256), clean)) missing.secret += 1;
    else {
      kept.push(sha256);
      all += size;
      bytes += Math.ceil((size * 4) / 3) + 120;
    }
  }
  return { missing, kept, bytes };
}

/** Named by the hash of all of it, so that nothing can be taken out of it: it is told whole or not at all. */
function hides(content: Buffer | undefined, clean: Redact): boolean {
  if (content === undefined) return true;
  const text = content.toString("latin1"); // keeps every byte, whatever it is
  return clean(text) !== text || clean(content.toString()) !== content.toString();
}

type EmitOptions = {
  readonly source: ShareSource;
  readonly taking: Taking;
  readonly streamed: StreamedText;
  readonly manifest: RecordingManifest;
  readonly kept: readonly string[];
};

async function* linesOf(emitOptions: EmitOptions): AsyncGenerator<string> {
  const { source, taking, streamed, manifest, kept } = emitOptions;
  yield JSON.stringify(manifest);
  const digest = createHash("sha256");
  let lines = 0;
  const replace = streamed.replacing();
  const counted = (line: string) => {
    digest.update(line).update("\n");
    lines += 1;
    return line;
  };
  for await (const stored of source.events()) {
    yield counted(bodyOf(stored, takenOut(stored.event, taking, replace)));
  }
  for (const sha256 of kept) {
    const content = await source.contentOf(sha256);
    if (!content) throw new Error(`the content ${sha256} is gone`);
    const { length: bytes } = content;
    const line: RecordingContent = {
      content: { sha256, bytes, base64: content.toString("base64") },
    };
    yield counted(JSON.stringify(line));
  }
  yield JSON.stringify({ end: { lines, sha256: digest.digest("hex") } });
}

/** As it is stored; or, when something was taken out, with a mark: then its hash is of what it was. */
function bodyOf({ body, event }: StoredEvent, taken: RunEvent): string {
  return taken === event ? body : JSON.stringify({ ...taken, redacted: true });
}

/** In a recording that is told again. */
function wasRedacted(event: RunEvent): boolean {
  return (event as { redacted?: boolean }).redacted === true;
}

function tooLarge(): ApiError {
  const message = `More than ${MAX_RECORDING_BYTES >> 20} MB: too large for one file. Export its runs one by one, or leave out files and tool output.`;
  return new ApiError("too_large", message, { max_bytes: MAX_RECORDING_BYTES });
}

// Keys that nobody told us, recognised by how they look. For files that leave the machine only: in a journal a wrong
// guess would damage what an agent works with, in a shared file it costs a mark. Each shape is linear to match.
const SHAPES: Readonly<Record<string, string>> = {
  pem: String.raw`-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----(?:[^-]|-(?!----))*(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----|$)`,
  jwt: String.raw`(?<![\w-])eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}`,
  sk: String.raw`(?<![\w-])[sr]k[-_][\w-]{20,}`, // OpenAI, Anthropic, Stripe and those who copied them
  github: String.raw`(?<![\w-])(?:gh[pousr]_\w{20,}|github_pat_\w{20,})`,
  aws: String.raw`(?<![A-Za-z0-9])(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])`,
  slack: String.raw`(?<![\w-])xox[a-z]-[\w-]{10,}`,
};
const ANY = new RegExp(
  Object.entries(SHAPES)
    .map(([name, shape]) => `(?<${name}>${shape})`)
    .join("|"),
  "g",
);

export function withoutKeys(text: string): string {
  return text.replaceAll(ANY, (...match: unknown[]) => {
    const groups = match.at(-1) as Record<string, string | undefined>;
    const [name] = Object.entries(groups).find(([, found]) => found !== undefined) ?? ["key"];
    return `[redacted:looks-like-${name}]`;
  });
}
