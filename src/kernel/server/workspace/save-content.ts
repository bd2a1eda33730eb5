// Stores what a person wrote, then admits the run that writes it to the file. A blob that no run names costs only its
// space.
import type { Journal } from "../../journal/journal.ts";
import type { Outcome, SaveFile } from "../../events/commands.ts";
import { ApiError } from "../../events/errors.ts";

const MAX_BYTES = 1_048_576;

export async function saveContent(
  journal: Journal,
  sessionId: string,
  { content, ...request }: SaveFile,
): Promise<Outcome | undefined> {
  if (!(await journal.reads.session(sessionId))) return undefined;
  if (!content.isWellFormed()) {
    throw new ApiError("invalid_request", "content: has half a character in it");
  }
  const bytes = Buffer.from(content);
  if (bytes.length > MAX_BYTES) {
    throw new ApiError("too_large", "A file that is saved here has at most 1 MiB.");
  }
  const blob = journal.blobs.create();
  try {
    await blob.write(bytes);
    const stored = await blob.finish();
    return await journal.commands.saveFile(sessionId, { ...request, ...stored });
  } finally {
    await blob.discard();
  }
}
