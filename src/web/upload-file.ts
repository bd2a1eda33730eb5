// Uploads one file with progress. XMLHttpRequest, because fetch reports no upload progress.
import type { Api } from "../kernel/client/api.ts";
import type { UploadTarget } from "../kernel/client/calls/attachment-calls.ts";
import { readEnvelope, toApiFailure } from "../kernel/client/api-failure.ts";
import type { SendFile } from "../kernel/client/outbox/uploads.ts";
import type { UploadedFile } from "../kernel/api/records/records.ts";

export function fileSender(api: Api): SendFile {
  return async (file, onPart, signal) =>
    (await sendFile(api.uploadTo(file.name), file, { onPart, signal })) as UploadedFile;
}

type Sending = {
  readonly onPart: (part: number) => void;
  readonly signal: AbortSignal;
};

/** Throws what the server refuses. */
export async function sendFile(
  { url, headers }: UploadTarget,
  file: Blob,
  { onPart, signal }: Sending,
): Promise<unknown> {
  signal.throwIfAborted();
  const request = new XMLHttpRequest();
  const answered = new Promise<Response>((resolve, reject) => {
    request.addEventListener("load", () =>
      resolve(new Response(request.responseText, { status: request.status })),
    );
    for (const type of ["error", "timeout", "abort"]) {
      request.addEventListener(type, () => reject(toApiFailure(new Error(type))));
    }
  });
  request.upload.addEventListener("progress", ({ loaded, total }) => {
    if (total > 0) onPart(loaded / total);
  });
  request.open("POST", url);
  for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
  const stop = () => request.abort();
  signal.addEventListener("abort", stop);
  try {
    request.send(file);
    return await readEnvelope(await answered);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
