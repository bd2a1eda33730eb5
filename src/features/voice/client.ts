// The calls for sound and speech.
import type { mediaApi } from "./api.ts";
import type { Speak, Transcribe } from "./records.ts";
import { callsOf, type Calls } from "../../kernel/client/calls.ts";

export function mediaCalls(calls: Calls) {
  const call = callsOf<typeof mediaApi>(calls);
  return {
    media: (signal?: AbortSignal) => call("get /api/media", {}, signal),
    transcribe: (body: Transcribe, signal?: AbortSignal) =>
      call("post /api/media/transcribe", { body }, signal),
    /** Aborting hangs up, and the server stops asking. */
    speak: (body: Speak, signal?: AbortSignal) => call("post /api/media/speak", { body }, signal),
  };
}
