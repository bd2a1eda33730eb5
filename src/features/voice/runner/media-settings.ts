// What can be set about speech: two endpoints, each with its model. An address without a name and password in it:
// a key has a place of its own.
import { z } from "zod";

const Address = z
  .url({ protocol: /^https?$/ })
  .refine((url) => URL.parse(url)?.username === "" && URL.parse(url)?.password === "", {
    message: "an address without a name or password in it",
  });

export const MEDIA_SETTINGS = {
  transcription_url: Address.optional(), // speech to text
  transcription_model: z.string().min(1).max(200).default("whisper-1"),
  speech_url: Address.optional(), // text to speech
  speech_model: z.string().min(1).max(200).default("tts-1"),
  speech_voice: z.string().min(1).max(64).default("alloy"),
  media_timeout_ms: z.int().min(100).default(120_000), // of either
};
