// Adds files from a picker, drop or clipboard to a draft. Refused files are reported by name.
import type { OutgoingFile } from "../../kernel/client/outbox/outbox.ts";
import type { Uploads } from "../../kernel/client/outbox/uploads.ts";
import { MAX_ATTACHMENT_BYTES, MAX_ATTACHMENTS } from "../../kernel/events/attachment-limits.ts";
import { visibleLine } from "../../kernel/text/visible-text.ts";
import { newId } from "../new-id.ts";
import { bytes } from "../text/format.ts";
import { changeDraft, draftOf } from "./drafts.ts";

/** Returns why files were refused, or null. */
export function attachFiles(
  place: string,
  uploads: Uploads,
  files: readonly File[],
): string | null {
  const problems: string[] = [];
  for (const file of files) {
    const name = visibleLine(file.name) || "unnamed";
    if (draftOf(place).files.length >= MAX_ATTACHMENTS) {
      problems.push(`At most ${MAX_ATTACHMENTS} files go with one message.`);
      break;
    }
    if (file.size > MAX_ATTACHMENT_BYTES) {
      problems.push(`${name} is too large: at most ${bytes(MAX_ATTACHMENT_BYTES)}.`);
    } else {
      attachOne(place, uploads, file);
    }
  }
  return problems.length === 0 ? null : problems.join(" ");
}

/** Returns the id of the file in the draft. */
export function attachOne(place: string, uploads: Uploads, file: File): string {
  const fileId = newId("cmd");
  const name = file.name.toWellFormed().slice(0, 255) || "unnamed";
  const media_type = file.type || "application/octet-stream"; // until the server has looked at it
  const draft: OutgoingFile = { fileId, name, bytes: file.size, media_type };
  changeDraft(place, { files: [...draftOf(place).files, draft] });
  uploads.add(fileId, file);
  uploads.whenDone(fileId, NEVER).then(
    ({ sha256, media_type: type }) => {
      const known = (one: OutgoingFile) =>
        one.fileId === fileId ? { ...one, sha256, media_type: type } : one;
      const { files } = draftOf(place);
      if (files.some((one) => one.fileId === fileId))
        changeDraft(place, { files: files.map(known) });
    },
    () => {}, // its chip says why
  );
  return fileId;
}

const NEVER = new AbortController().signal;

export function removeFile(place: string, uploads: Uploads, fileId: string): void {
  uploads.drop(fileId);
  changeDraft(place, { files: draftOf(place).files.filter((file) => file.fileId !== fileId) });
}

export type Dropped = { readonly files: readonly File[]; readonly folders: number };

/** A folder looks like an unusable file; only its entry says what it is. */
export function droppedIn({ items, files }: DataTransfer): Dropped {
  const entries = [...items].filter(({ kind }) => kind === "file");
  if (entries.length === 0) return { files: [...files], folders: 0 };
  const isFolder = (item: DataTransferItem) => item.webkitGetAsEntry()?.isDirectory === true;
  const taken = entries.filter((item) => !isFolder(item));
  return {
    files: taken.flatMap((item) => item.getAsFile() ?? []),
    folders: entries.length - taken.length,
  };
}
