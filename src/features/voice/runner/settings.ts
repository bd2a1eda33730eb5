// What can be set about speech: two endpoints, each with its model. An address without a name and password in it:
// a key has a place of its own.
import { z } from "zod";
import { inSection, integer, setting } from "../../../kernel/api/setting.ts";

const Address = z
  .url({ protocol: /^https?$/ })
  .refine((url) => URL.parse(url)?.username === "" && URL.parse(url)?.password === "", {
    message: "an address without a name or password in it",
  })
  .optional();
const name = (most: number, usual: string) => z.string().min(1).max(most).default(usual);

export const MEDIA_SETTINGS = inSection("media", {
  transcription_url: setting(
    Address,
    "Where speech becomes text: any OpenAI-compatible endpoint, as https://host/v1.",
    { keys: ["transcription"] },
  ),
  transcription_model: setting(name(200, "whisper-1"), "That listens there."),
  speech_url: setting(
    Address,
    "Where text becomes speech: any OpenAI-compatible endpoint, as https://host/v1.",
    { keys: ["speech"] },
  ),
  speech_model: setting(name(200, "tts-1"), "That speaks there."),
  speech_voice: setting(name(64, "alloy"), "With which voice."),
  media_timeout_ms: setting(integer(100, 120_000), "How long either may take."),
});
