// Where the events of a file come from: a session or a run of the journal, or a recording that was imported.
// Whoever reads a source twice gets the same events: it ends where the session ended when it was opened.
import { setImmediate } from "node:timers/promises";
import { buffer } from "node:stream/consumers";
import type { Journal } from "../../../kernel/journal/journal.ts";
import type { RunRecord, SessionRecord } from "../../../kernel/api/records/records.ts";
import type { EventOf, RunEvent } from "../../../kernel/events/events.ts";
import type { ImportedFrom, RecordingContent } from "../../../kernel/events/recording-file.ts";
import { IMPORTED } from "../../../kernel/events/share-policy.ts";
import { pageSize } from "../../../kernel/server/feed/pages.ts";
import {
  CONTENT_BEGINS,
  EVENT_BEGINS,
  recordedLines,
  type RecordedLine,
} from "./recorded-lines.ts";

export type StoredEvent = { readonly body: string; readonly event: RunEvent };

export type ShareSource = {
  readonly kind: "session" | "run";
  readonly sessionId: string; // as its events name it
  readonly runId: string | null;
  readonly title: string;
  readonly createdAt: number;
  readonly events: () => AsyncIterable<StoredEvent>;
  /** Undefined: it is not there any more. */
  readonly sizeOf: (sha256: string) => Promise<number | undefined>;
  readonly contentOf: (sha256: string) => Promise<Buffer | undefined>;
};

/** What an imported session was made of; undefined for every other session. */
export async function importedFrom(
  journal: Journal,
  { session_id, source }: Pick<SessionRecord, "session_id" | "source">,
): Promise<ImportedFrom | undefined> {
  if (source !== IMPORTED) return undefined;
  const page = await journal.readRun(session_id, 0, 1);
  const body = page?.rows[0]?.[2];
  if (body === undefined) return undefined;
  return (JSON.parse(body) as EventOf<"session.created">).payload.imported_from;
}

export async function sourceOfSession(
  journal: Journal,
  session: SessionRecord,
): Promise<ShareSource> {
  const from = await importedFrom(journal, session);
  if (from) return importedSource(journal, session, from);
  return { ...journalSource(journal, session), kind: "session", runId: null };
}

/** The run, its subagents, and of the session what it is called. */
export async function sourceOfRun(
  journal: Journal,
  session: SessionRecord,
  run: RunRecord,
): Promise<ShareSource> {
  const family = familyOf(await journal.reads.runsOf(session.session_id), run.run_id);
  const whole = journalSource(journal, session);
  async function* events() {
    for await (const stored of whole.events()) {
      const { run_id, type } = stored.event;
      const names = type === "session.created" || type === "title.updated";
      if (family.has(run_id) || (run_id === session.session_id && names)) yield stored;
    }
  }
  return { ...whole, kind: "run", runId: run.run_id, events };
}

function familyOf(runs: readonly RunRecord[], runId: string): ReadonlySet<string> {
  const family = new Set([runId]);
  for (let before = 0; before !== family.size;) {
    before = family.size;
    for (const { run_id, parent_run_id } of runs) {
      if (parent_run_id !== null && family.has(parent_run_id)) family.add(run_id);
    }
  }
  return family;
}

function journalSource(journal: Journal, session: SessionRecord) {
  const { session_id: sessionId, seq: head, title, created_at: createdAt } = session;
  const { blobs } = journal;
  async function* events(): AsyncGenerator<StoredEvent> {
    const size = pageSize();
    for (let emitted = 0; emitted < head;) {
      const page = await journal.readSession(
        sessionId,
        emitted,
        Math.min(size.limit, head - emitted),
      );
      if (!page || page.rows.length === 0)
        throw new Error(`session ${sessionId} ends at ${emitted}`);
      let chars = 0;
      for (const [, , body] of page.rows) {
        chars += body.length;
        yield { body, event: JSON.parse(body) as RunEvent };
      }
      emitted += page.rows.length;
      size.learn({ count: page.rows.length, chars });
      await setImmediate(); // reading is synchronous: a long past must not hold up everyone else
    }
  }
  return {
    sessionId,
    title,
    createdAt,
    events,
    sizeOf: (sha256: string) => blobs.size(sha256),
    contentOf: async (sha256: string) =>
      (await blobs.size(sha256)) === undefined ? undefined : buffer(blobs.read(sha256)),
  };
}

/** A recording can be told again: its events are in one blob, and so are the contents they name. */
function importedSource(
  { blobs }: Journal,
  { title, created_at }: SessionRecord,
  { recording, kind, session_id, run_id }: ImportedFrom,
): ShareSource {
  const lines = () => recordedLines(blobs.read(recording));
  async function* events(): AsyncGenerator<StoredEvent> {
    for await (const { text: body } of lines()) {
      if (body.startsWith(EVENT_BEGINS)) yield { body, event: JSON.parse(body) as RunEvent };
    }
  }
  let places: Promise<ContentPlaces> | undefined; // found once: there may be thousands
  const placeOf = async (sha256: string) => (await (places ??= placesIn(lines()))).get(sha256);
  const contentOf = async (sha256: string) => {
    const place = await placeOf(sha256);
    if (!place) return undefined;
    const line = await buffer(blobs.read(recording, place));
    const { content } = JSON.parse(line.toString()) as RecordingContent;
    return Buffer.from(content.base64, "base64");
  };
  return {
    kind,
    sessionId: session_id,
    runId: run_id,
    title,
    createdAt: created_at,
    events,
    contentOf,
    sizeOf: async (sha256) => (await placeOf(sha256))?.size,
  };
}

type ContentPlaces = ReadonlyMap<string, { start: number; end: number; size: number }>;

async function placesIn(lines: AsyncIterable<RecordedLine>): Promise<ContentPlaces> {
  const places = new Map<string, { start: number; end: number; size: number }>();
  for await (const { text, start, bytes } of lines) {
    if (!text.startsWith(CONTENT_BEGINS)) continue;
    const { content } = JSON.parse(text) as RecordingContent;
    places.set(content.sha256, { start, end: start + bytes - 1, size: content.bytes });
  }
  return places;
}
