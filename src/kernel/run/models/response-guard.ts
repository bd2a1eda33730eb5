// Bounds what a provider's response can make us hold in memory, and where it can send us.
// The SDK buffers an unfinished line and an error body without limit; a hostile server must not
// be able to exhaust the runner with either.
import { ModelError } from "./model.ts";

const MAX_LINE_BYTES = 4 * 1024 * 1024;
const MAX_RESPONSE_BYTES = 64 * 1024 * 1024;
const MAX_ERROR_BODY_BYTES = 64 * 1024;
const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

export function guardFetch(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    // A redirect could carry the key to another origin: fetch only drops `authorization` on the way.
    const response = await fetch(input, { ...init, redirect: "manual" });
    if (response.body === null) return response;
    const guard = response.ok ? boundedEvents() : boundedErrorBody();
    const { status, statusText, headers } = response;
    return new Response(response.body.pipeThrough(guard), { status, statusText, headers });
  };
}

function boundedEvents(): TransformStream<Uint8Array, Uint8Array> {
  let total = 0;
  let line = 0;
  return new TransformStream({
    transform(bytes, controller) {
      total += bytes.length;
      const lineEnd = Math.max(bytes.lastIndexOf(LINE_FEED), bytes.lastIndexOf(CARRIAGE_RETURN));
      line = lineEnd === -1 ? line + bytes.length : bytes.length - lineEnd - 1;
      if (total > MAX_RESPONSE_BYTES) {
        throw new ModelError("malformed_output", "The model's response exceeds 64 MiB");
      }
      if (line > MAX_LINE_BYTES) {
        throw new ModelError("malformed_output", "The model's response has a line over 4 MiB");
      }
      controller.enqueue(bytes);
    },
  });
}

/** Cuts instead of failing: the status already says what went wrong. */
function boundedErrorBody(): TransformStream<Uint8Array, Uint8Array> {
  let room = MAX_ERROR_BODY_BYTES;
  return new TransformStream({
    transform(bytes, controller) {
      controller.enqueue(bytes.subarray(0, room));
      room -= bytes.length;
      if (room <= 0) controller.terminate();
    },
  });
}
