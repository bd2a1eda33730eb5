// What is said about sound and speech: what can be done here, and what came of it.
import { z } from "zod";
import { MAX_SPOKEN } from "../../kernel/events/attachment-limits.ts";

const Endpoint = z.object({
  model: z.string(),
  address: z.string().describe("where it is sent to"),
});

export const MediaView = z.object({
  transcription: Endpoint.nullable().describe("null: nobody said where speech becomes text"),
  speech: Endpoint.extend({ voice: z.string() })
    .nullable()
    .describe("null: nobody said where text becomes speech"),
  max_bytes: z.int().describe("of an upload"),
  max_text: z.int().describe("characters of a text that is to be spoken"),
});
export type MediaView = Readonly<z.infer<typeof MediaView>>;

export const Transcribe = z.strictObject({
  sha256: z.string().regex(/^[0-9a-f]{64}$/, "the SHA-256 of an upload, in hex"),
  language: z
    .string()
    .regex(/^[a-z]{2,3}$/, "two or three small letters")
    .optional()
    .describe("that is spoken, as ISO 639; found out when left out"),
});
export type Transcribe = z.infer<typeof Transcribe>;

export const TranscriptionView = z.object({
  text: z.string(),
  language: z.string().nullable().describe("null: the endpoint did not say"),
  duration: z.number().nullable().describe("seconds; null: the endpoint did not say"),
  model: z.string(),
});
export type TranscriptionView = Readonly<z.infer<typeof TranscriptionView>>;

export const Speak = z.strictObject({
  text: z
    .string()
    .max(MAX_SPOKEN)
    .refine((text) => text.trim() !== "", "must not be empty"),
  voice: z
    .string()
    .regex(/^[\w.:-]{1,64}$/, "letters, digits, '_', '.', ':', '-'")
    .optional(),
});
export type Speak = z.infer<typeof Speak>;

export const SpeechView = z.object({
  sha256: z.string(),
  bytes: z.int().nonnegative(),
  media_type: z.string().describe("by its bytes"),
  url: z.string().describe("where it is played from"),
  voice: z.string(),
  model: z.string(),
});
export type SpeechView = Readonly<z.infer<typeof SpeechView>>;
