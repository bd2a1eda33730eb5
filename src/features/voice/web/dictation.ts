// Turns a recording into a draft file first, so it cannot be lost, then into text at the cursor. If
// transcription fails, the file stays.
import { toApiFailure } from "../../../kernel/client/api-failure.ts";
import type { Api } from "../../../kernel/client/api.ts";
import { mediaCalls } from "../client.ts";
import type { Uploads } from "../../../kernel/client/outbox/uploads.ts";
import { attachOne, removeFile } from "../../../web/composer/attach.ts";
import { changeDraft, draftOf } from "../../../web/composer/drafts.ts";
import { insertWords } from "./insert-text.ts";

export type Dictating = {
  readonly place: string;
  readonly uploads: Uploads;
  readonly api: Api;
  /** Whether to transcribe, and a service exists. */
  readonly hears: boolean;
  readonly signal: AbortSignal;
};

/** Returns a message for the person; null on success. */
export async function dictate(file: File, dictating: Dictating): Promise<string | null> {
  const { place, uploads, api, hears, signal } = dictating;
  const fileId = attachOne(place, uploads, file);
  if (!hears) return null;
  try {
    const { sha256 } = await uploads.whenDone(fileId, signal);
    const { text } = await mediaCalls(api.calls).transcribe({ sha256 }, signal);
    if (text === "") return "Nothing was said in it. The recording is attached instead.";
    if (!draftOf(place).files.some((one) => one.fileId === fileId)) return null; // sent or removed meanwhile
    write(place, text);
    removeFile(place, uploads, fileId);
    return null;
  } catch (error) {
    if (signal.aborted) return null; // wanted as it is
    const { message } = toApiFailure(error);
    return `Transcription failed: ${message} The recording is attached instead.`;
  }
}

function write(place: string, words: string): void {
  const { text } = draftOf(place);
  const field = document.querySelector<HTMLTextAreaElement>("textarea#composer");
  const isHere = field?.dataset["place"] === place; // otherwise the draft of another session is on the screen
  const at = isHere
    ? { start: field.selectionStart, end: field.selectionEnd }
    : { start: text.length, end: text.length };
  const inserted = insertWords(text, at, words);
  changeDraft(place, { text: inserted.text });
  if (!isHere) return;
  requestAnimationFrame(() => {
    field.focus();
    field.setSelectionRange(inserted.cursor, inserted.cursor);
  });
}
