// The calls for sound and speech.
import type { MediaView, Speak, SpeechView, Transcribe, TranscriptionView } from "./records.ts";
import type { Calls } from "../../kernel/client/api.ts";

export function mediaCalls({ get, post }: Calls) {
  return {
    media: (signal?: AbortSignal) => get<MediaView>("/api/media", signal),
    transcribe: (request: Transcribe, signal?: AbortSignal) =>
      post<TranscriptionView>("/api/media/transcribe", request, signal),
    /** Aborting hangs up, and the server stops asking. */
    speak: (request: Speak, signal?: AbortSignal) =>
      post<SpeechView>("/api/media/speak", request, signal),
  };
}
