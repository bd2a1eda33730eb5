// A recording as a window shows it: its lines become events, numbered as if they were all there is, and contents by
// their hash. What a file says was checked where it was made or taken in; here only what cannot be shown is refused.
import type { RunEvent } from "../../../kernel/events/events.ts";
import type { RecordingContent, RecordingManifest } from "../../../kernel/events/recording-file.ts";
import { RECORDING_VERSION } from "../../../kernel/events/share-policy.ts";

export type RecordedFile = {
  readonly manifest: RecordingManifest;
  readonly events: readonly RunEvent[];
  /** base64, by SHA-256. */
  readonly contents: ReadonlyMap<string, string>;
};

/** `as`: the id the session has here. */
export function recordedFile(text: string, as?: string): RecordedFile {
  const [first = "", ...lines] = text.split("\n").filter((line) => line !== "");
  const manifest = JSON.parse(first) as RecordingManifest;
  if (manifest.quarterdeck !== "recording" || manifest.version > RECORDING_VERSION) {
    throw new Error("This recording was made by a newer Quarterdeck.");
  }
  const events: RunEvent[] = [];
  const contents = new Map<string, string>();
  for (const line of lines) {
    const value = JSON.parse(line) as RunEvent | RecordingContent | { end: object };
    if ("event_id" in value) events.push(placed(value, events.length + 1, as));
    else if ("content" in value) contents.set(value.content.sha256, value.content.base64);
  }
  return { manifest, events, contents };
}

/** A run's file has holes in the session's numbers: a window counts what it has. */
function placed(event: RunEvent, session_seq: number, as: string | undefined): RunEvent {
  const { session_id, run_id } = event;
  if (as === undefined) return { ...event, session_seq };
  return { ...event, session_seq, session_id: as, run_id: run_id === session_id ? as : run_id };
}
