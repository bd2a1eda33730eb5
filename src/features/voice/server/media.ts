// Speech and sound: which content is one, what is said in it, and a text that is spoken. The endpoints are asked by
// whoever knows the settings (src/cli); here is what both APIs have in common.
import type { FastifyReply } from "fastify";
import type { BlobStore } from "../../../kernel/blobs/blobs.ts";
import type { Journal } from "../../../kernel/journal/journal.ts";
import type { MediaView, Speak, SpeechView, Transcribe, TranscriptionView } from "../records.ts";
import { MAX_ATTACHMENT_BYTES, MAX_SPOKEN } from "../../../kernel/events/attachment-limits.ts";
import { isAudioType, type AudioType } from "../../../kernel/events/audio-type.ts";
import { ApiError } from "../../../kernel/events/errors.ts";
import { mediaAddress } from "../../../kernel/dialect/media-address.ts";
import { mediaTypeOf, SNIFF_BYTES, type MediaType } from "../../../kernel/events/media-type.ts";
import { abortOnDisconnect } from "../../../kernel/server/disconnect.ts";
import { storeUpload, tooLarge } from "../../../kernel/server/workspace/store-upload.ts";

declare module "../../../kernel/server/app.ts" {
  interface AppDeps {
    /** Where speech becomes text and text speech; nowhere when left out. */
    media?: MediaService;
  }
}

type Recording = { readonly bytes: Uint8Array<ArrayBuffer>; readonly type: AudioType };
type Transcribing = { readonly language?: string | undefined; readonly signal: AbortSignal };

/** Null: nobody said where that is done. Both throw an ApiError that says what went wrong. */
export type MediaService = {
  readonly transcription:
    | (NonNullable<MediaView["transcription"]> & {
        transcribe(
          recording: Recording,
          options: Transcribing,
        ): Promise<Omit<TranscriptionView, "model">>;
      })
    | null;
  readonly speech:
    | (NonNullable<MediaView["speech"]> & {
        speak(
          words: { text: string; voice: string },
          signal: AbortSignal,
        ): Promise<{ bytes: Uint8Array }>;
      })
    | null;
};

export const NO_MEDIA: MediaService = { transcription: null, speech: null };

export function mediaView({ transcription, speech }: MediaService): MediaView {
  return {
    transcription: transcription && {
      model: transcription.model,
      address: transcription.address,
    },
    speech: speech && { model: speech.model, address: speech.address, voice: speech.voice },
    max_bytes: MAX_ATTACHMENT_BYTES,
    max_text: MAX_SPOKEN,
  };
}

export function openMedia({ blobs }: Pick<Journal, "blobs">, service: MediaService) {
  return {
    service,
    view: () => mediaView(service),
    async transcribe(
      { sha256, language }: Transcribe,
      signal: AbortSignal,
    ): Promise<TranscriptionView> {
      const { transcription } = service;
      if (!transcription) throw notConfigured("transcription_url");
      const recording = await readRecording(blobs, sha256);
      const heard = await transcription.transcribe(recording, { language, signal });
      return { ...heard, model: transcription.model };
    },
    async speak({ text, voice: wanted }: Speak, signal: AbortSignal): Promise<SpeechView> {
      const { speech } = service;
      if (!speech) throw notConfigured("speech_url");
      const { model, voice: usual } = speech;
      const voice = wanted ?? usual;
      const { bytes } = await speech.speak({ text, voice }, signal);
      const { sha256, ...stored } = await storeUpload(blobs, once(bytes));
      return { sha256, ...stored, url: mediaAddress(sha256), voice, model };
    },
  };
}

/** Aborts when whoever asked has gone: nobody pays for an answer that nobody reads. */
export async function whileAsked<Answer>(
  reply: FastifyReply,
  work: (signal: AbortSignal) => Promise<Answer>,
): Promise<Answer> {
  const signal = abortOnDisconnect(reply);
  try {
    return await work(signal);
  } catch (error) {
    throw signal.aborted ? new ApiError("unavailable", "It was cancelled.") : error;
  }
}

/** How to have it, in one sentence. */
export const HOW = {
  transcription_url:
    "Nobody said where speech becomes text. Set “transcription_url” in the settings, section Voice, to an OpenAI-compatible endpoint.",
  speech_url:
    "Nobody said where text becomes speech. Set “speech_url” in the settings, section Voice, to an OpenAI-compatible endpoint.",
} as const;

function notConfigured(setting: keyof typeof HOW): ApiError {
  return new ApiError("not_configured", HOW[setting], { section: "media", setting });
}

/** What a content is by its bytes; undefined: there is none. */
export async function contentOf(
  blobs: BlobStore,
  sha256: string,
): Promise<{ size: number; type: MediaType } | undefined> {
  const size = await blobs.size(sha256);
  if (size === undefined) return undefined;
  const start = size === 0 ? Buffer.alloc(0) : await bytesOf(blobs, sha256, SNIFF_BYTES);
  return { size, type: mediaTypeOf(start, { whole: size <= SNIFF_BYTES }) };
}

async function readRecording(blobs: BlobStore, sha256: string): Promise<Recording> {
  const content = await contentOf(blobs, sha256);
  if (!content) throw new ApiError("blob_not_found", "There is no such upload.");
  const { size, type } = content;
  if (size > MAX_ATTACHMENT_BYTES) throw tooLarge();
  if (!isAudioType(type)) {
    const message = `This is no sound that can be heard: by its bytes it is ${type}.`;
    throw new ApiError("unsupported_media_type", message, { media_type: type });
  }
  return { bytes: await bytesOf(blobs, sha256, size), type };
}

async function bytesOf(blobs: BlobStore, sha256: string, most: number) {
  const chunks = blobs.read(sha256, { start: 0, end: most - 1 }) as AsyncIterable<Buffer>;
  return Buffer.concat(await Array.fromAsync(chunks));
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
