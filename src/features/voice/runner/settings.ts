// What can be set about speech: two endpoints, each with its model. An address without a name and password in it:
// a key has a place of its own.
import { z } from "zod";
import { shared } from "../../../kernel/api/setting.ts";

const Address = z
  .url({ protocol: /^https?$/ })
  .refine((url) => URL.parse(url)?.username === "" && URL.parse(url)?.password === "", {
    message: "an address without a name or password in it",
  });
const Model = z.string().min(1).max(200);

export const MEDIA_SETTINGS = shared(
  { section: "media" },
  {
    transcription_url: {
      schema: Address.optional(),
      about: "Where speech becomes text: any OpenAI-compatible endpoint, as https://host/v1.",
      keys: ["transcription"],
    },
    transcription_model: { schema: Model.default("whisper-1"), about: "That listens there." },
    speech_url: {
      schema: Address.optional(),
      about: "Where text becomes speech: any OpenAI-compatible endpoint, as https://host/v1.",
      keys: ["speech"],
    },
    speech_model: { schema: Model.default("tts-1"), about: "That speaks there." },
    speech_voice: {
      schema: z.string().min(1).max(64).default("alloy"),
      about: "With which voice.",
    },
    media_timeout_ms: {
      schema: z.int().min(100).default(120_000),
      about: "How long either may take.",
    },
  },
);
