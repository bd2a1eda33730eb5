// A file becomes a session: checked, its lines kept as one blob, then one transaction. Killed anywhere, there is the
// whole session or none of it; a blob that nobody names is all that can be left, and importing again uses it.
import type { Defaults, Journal } from "../../../kernel/journal/journal.ts";
import type { Outcome } from "../../../kernel/events/commands.ts";
import { readRecording } from "./read-recording.ts";
import type { ShareNote } from "./share-note.ts";

export type ImportDeps = {
  readonly journal: Journal;
  readonly defaults: Defaults;
  readonly again: boolean; // also when it is here already
};
export type Imported = { readonly outcome: Outcome; readonly note: Omit<ShareNote, "by"> };

export async function importRecording(
  file: Buffer,
  { journal, defaults, again }: ImportDeps,
): Promise<Imported> {
  const { manifest, digest, bytes } = await readRecording(file);
  const { kind, session_id, run_id, events, exported_at, exported_by, policy } = manifest;
  const recording = await keep(journal, bytes);
  const from = {
    kind,
    session_id,
    run_id,
    recording,
    digest,
    bytes: bytes.length,
    events,
    exported_at,
    exported_by,
    policy,
  };
  const title = manifest.title.slice(0, 500) || "Untitled recording";
  const outcome = await journal.commands.importSession({ title, from, again }, defaults);
  const about = { session_id: outcome.session_id ?? "", run_id: null, events, policy };
  const rest = { format: null, without: manifest.without, outcome: outcome.status };
  return { outcome, note: { action: "import", ...about, ...rest } };
}

async function keep({ blobs }: Journal, bytes: Buffer): Promise<string> {
  const blob = blobs.create();
  try {
    await blob.write(bytes);
    return (await blob.finish()).sha256;
  } catch (error) {
    await blob.discard();
    throw error;
  }
}
