// Checks that the files a message names are stored before the message is: otherwise only the model would notice a file
// that was never uploaded, or has another content.
import type { Attachment } from "../events/catalogue/lifecycle.ts";
import { ApiError } from "../events/errors.ts";
import type { BlobStore } from "./blobs.ts";

/** Files without a hash are only mentioned: other windows store their own files. */
export async function requireFiles(
  blobs: BlobStore,
  attachments: readonly Attachment[] | undefined,
): Promise<void> {
  for (const [index, { sha256, bytes, name }] of (attachments ?? []).entries()) {
    if (sha256 === undefined) continue;
    const size = await blobs.size(sha256);
    const named = `attachments.${index}: “${name.slice(0, 100)}”`;
    if (size === undefined) throw refused(`${named} was not uploaded here.`, sha256);
    if (bytes !== undefined && bytes !== size) {
      throw refused(`${named} has ${size} bytes, not ${bytes}.`, sha256);
    }
  }
}

function refused(message: string, sha256: string): ApiError {
  return new ApiError("invalid_request", message, { sha256: sha256.slice(0, 100) });
}
