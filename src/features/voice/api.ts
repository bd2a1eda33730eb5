// The endpoints of sound and speech.
import { MediaView, Speak, SpeechView, Transcribe, TranscriptionView } from "./records.ts";
import { BY_CONTENT, FileNameQuery, get, post } from "../../kernel/api/endpoint.ts";

const ASKED = ["not_configured", "endpoint_failed", "rate_limited"] as const;

export const mediaApi = {
  getMedia: get("/api/media", {
    tag: "blobs",
    summary: "Whether speech becomes text here, and text speech: by which model, sent to where.",
    response: MediaView,
  }),
  getMediaContent: get("/api/media/{sha256}", {
    params: BY_CONTENT,
    tag: "blobs",
    summary:
      "A content as what its bytes say: sound and pictures can be played and shown, everything else is a file to keep.",
    query: FileNameQuery,
    headers: ["Range"],
    response: "blob",
    errors: ["blob_not_found", "range_not_satisfiable"],
  }),
  transcribe: post("/api/media/transcribe", {
    tag: "blobs",
    summary:
      "What is said in an upload. It is sent to the endpoint of the settings, and to no other.",
    body: Transcribe,
    response: TranscriptionView,
    errors: ["blob_not_found", "too_large", "unsupported_media_type", ...ASKED],
  }),
  speak: post("/api/media/speak", {
    tag: "blobs",
    summary: "A text, spoken. The sound is kept as a content; the same text may be spoken anew.",
    body: Speak,
    response: SpeechView,
    errors: ["storage_full", ...ASKED],
  }),
};
