// The routes of sound and speech.
import { get, post, type ApiRoute } from "../../kernel/api/api-route.ts";

const ASKED = ["not_configured", "endpoint_failed", "rate_limited"] as const;

export const MEDIA_ROUTES: readonly ApiRoute[] = [
  get("/api/media", {
    id: "getMedia",
    tag: "blobs",
    summary: "Whether speech becomes text here, and text speech: by which model, sent to where.",
    answer: { data: "MediaView" },
  }),
  get("/api/media/{sha256}", {
    id: "getMediaContent",
    tag: "blobs",
    summary:
      "A content as what its bytes say: sound and pictures can be played and shown, everything else is a file to keep.",
    query: ["name"],
    headers: ["Range"],
    answer: "blob",
    errors: ["blob_not_found", "range_not_satisfiable"],
  }),
  post("/api/media/transcribe", {
    id: "transcribe",
    tag: "blobs",
    summary:
      "What is said in an upload. It is sent to the endpoint of the settings, and to no other.",
    body: "Transcribe",
    answer: { data: "TranscriptionView" },
    errors: ["blob_not_found", "too_large", "unsupported_media_type", ...ASKED],
  }),
  post("/api/media/speak", {
    id: "speak",
    tag: "blobs",
    summary: "A text, spoken. The sound is kept as a content; the same text may be spoken anew.",
    body: "Speak",
    answer: { data: "SpeechView" },
    errors: ["storage_full", ...ASKED],
  }),
];
