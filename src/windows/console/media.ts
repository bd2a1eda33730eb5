// The console's sound and files: uploads, what is said in them, and texts that are spoken. Its `file_path` is an
// address of ours that names a content by its hash, never a place on a disk; nothing else is taken for one.
import type { FastifyPluginAsync } from "fastify";
import { z } from "zod";
import { MAX_FILE_NAME, MAX_SPOKEN } from "../../kernel/events/attachment-limits.ts";
import { AUDIO_ENDINGS, isAudioType } from "../../kernel/events/audio-type.ts";
import { hashInAddress, mediaAddress } from "../../features/voice/media-address.ts";
import type { AppDeps } from "../../kernel/server/app.ts";
import { HOW, NO_MEDIA, openMedia, whileAsked } from "../../features/voice/server/media.ts";
import { fileNameIn, storeUpload } from "../../kernel/server/workspace/store-upload.ts";
import { both, capability, ConsoleError, take } from "./envelopes.ts";
import { fileIn } from "./multipart.ts";

const TranscribeAsk = z.looseObject({
  file_path: z.string().min(1).max(1_000),
  language: z
    .string()
    .regex(/^[a-z]{2,3}$/, "two or three small letters")
    .nullish(),
});
const SpeakAsk = z.looseObject({
  text: z
    .string()
    .max(MAX_SPOKEN)
    .refine((text) => text.trim() !== "", "must not be empty"),
  voice: z
    .string()
    .regex(/^[\w.:-]{1,64}$/, "letters, digits, '_', '.', ':', '-'")
    .nullish(),
});

export function mediaPages({ journal, media: service }: AppDeps): FastifyPluginAsync {
  const { blobs } = journal;
  const media = openMedia(journal, service ?? NO_MEDIA);
  const { transcription, speech } = media.service;
  return async (app) => {
    await app.register(async (uploads) => {
      uploads.removeAllContentTypeParsers(); // of this route alone: JSON is no file
      uploads.addContentTypeParser("multipart/form-data", (_request, payload, done) =>
        done(null, payload),
      );
      uploads.post("/media/upload", async (request, reply) => {
        reply.header("connection", "close"); // what is not read of a refused body is not waited for
        if (request.body === undefined || request.body === null) {
          throw new ConsoleError("missing_file", "Send one file, in the field `file`.");
        }
        const file = await fileIn(request);
        const filename = fileNameIn(file.name);
        if (filename === undefined) {
          const how = `The file needs a name of 1 to ${MAX_FILE_NAME} characters.`;
          throw new ConsoleError("missing_file", how);
        }
        const { sha256, bytes: size, media_type } = await storeUpload(blobs, file.stream());
        const file_path = mediaAddress(sha256);
        return both({ media: { file_path, filename, content_type: media_type, size, sha256 } });
      });
    });

    app.post("/media/transcribe", async ({ body }, reply) => {
      if (!transcription) return notHere("transcription_not_configured", "transcription_url");
      const { file_path, language } = take(TranscribeAsk, body);
      const sha256 = hashInAddress(file_path);
      if (sha256 === undefined) {
        throw new ConsoleError("invalid_path", "file_path: give the one that an upload answered");
      }
      const options = { sha256, ...(language && { language }) };
      const heard = await whileAsked(reply, (signal) => media.transcribe(options, signal));
      return both({ transcription: heard });
    });

    app.post("/media/tts", async ({ body }, reply) => {
      if (!speech) return notHere("tts_not_configured", "speech_url");
      const { text, voice } = take(SpeakAsk, body);
      const options = { text, ...(voice && { voice }) };
      const said = await whileAsked(reply, (signal) => media.speak(options, signal));
      const { sha256, bytes: size, media_type: content_type, url: file_path } = said;
      const ending = isAudioType(content_type) ? AUDIO_ENDINGS[content_type] : "bin";
      const filename = `speech.${ending}`;
      const about = { file_path, filename, content_type, size, sha256 };
      return both({ tts: { ...about, voice: said.voice, model: said.model } });
    });
  };
}

function notHere(reason: string, setting: keyof typeof HOW) {
  return capability(reason, { namespace: "media", section: "media", setting, how: HOW[setting] });
}
