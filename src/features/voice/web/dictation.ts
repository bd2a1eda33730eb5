// What becomes of a recording: first a file of the draft, so that nothing of it can be lost; then, where somebody
// turns speech into text, words at the cursor in its place. What cannot be heard stays as a file.
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
  /** Whether words are wanted, and somebody makes them. */
  readonly hears: boolean;
  readonly signal: AbortSignal;
};

/** What there is to say about it; null: it went as it should. */
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
    return `It was not turned into text: ${message} The recording is attached instead.`;
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
