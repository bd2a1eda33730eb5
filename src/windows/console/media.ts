// The console's uploads, transcription and speech. A `file_path` is an address of ours that names content by its
// hash, never a path on a disk; nothing else is accepted.
import type { Readable } from "node:stream";
import type { FastifyPluginAsync, FastifyRequest } from "fastify";
import { z } from "zod";
import {
  MAX_FILE_NAME,
  MAX_SPOKEN,
  MAX_ATTACHMENT_BYTES,
} from "../../kernel/events/attachment-limits.ts";
import { AUDIO_ENDINGS, isAudioType } from "../../kernel/events/audio-type.ts";
import { hashInAddress, mediaAddress } from "../../kernel/dialect/media-address.ts";
import type { AppDeps } from "../../kernel/server/app.ts";
import { HOW, NO_MEDIA, openMedia, whileAsked } from "../../features/voice/server/media.ts";
import { fileNameIn, storeUpload, tooLarge } from "../../kernel/server/workspace/store-upload.ts";
import { both, capability, ConsoleError, take } from "./envelopes.ts";

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

/** As `/meta` has them. */
export function mediaAbilities({ media }: AppDeps) {
  const [transcription, tts] = [Boolean(media?.transcription), Boolean(media?.speech)];
  return { media: true, transcription, tts, voice: transcription && tts };
}

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

// One file out of a multipart/form-data body. The body is bounded before it is read, the number of its parts before
// it is taken apart: neither costs more than one upload may.
const AROUND = 65_536; // boundaries, heads and small fields
const MAX_PARTS = 20;

async function fileIn({ headers, body }: FastifyRequest): Promise<File> {
  const type = headers["content-type"] ?? "";
  const boundary = /;\s*boundary=(?:"([^"\\]{1,70})"|([^\s;"\\]{1,70}))/i.exec(type);
  const mark = boundary?.[1] ?? boundary?.[2];
  if (mark === undefined) throw refused("The body has no boundary.");
  if (Number(headers["content-length"]) > MAX_ATTACHMENT_BYTES + AROUND) throw tooLarge();
  const bytes = await collected(body as Readable);
  if (hasMore(bytes, `--${mark}`)) throw refused(`More than ${MAX_PARTS} parts.`);
  // With the boundary that was counted: a header may name another one to whoever reads it otherwise.
  const counted = `multipart/form-data; boundary="${mark}"`;
  const form = await new Response(bytes, { headers: { "content-type": counted } })
    .formData()
    .catch(() => {
      throw refused("The body is no multipart/form-data.");
    });
  const all = [...form.entries()].flatMap(([name, value]) => (value instanceof File ? name : []));
  const file = form.get("file");
  if (!(file instanceof File)) throw missing();
  if (all.length > 1) throw refused("One file at a time.");
  return file;
}

async function collected(body: Readable): Promise<Buffer<ArrayBuffer>> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    // Not destroyed when we stop in the middle: the refusal has to go out on the same connection.
    for await (const chunk of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > MAX_ATTACHMENT_BYTES + AROUND) throw tooLarge();
      chunks.push(chunk);
    }
  } catch (error) {
    throw body.readableAborted ? refused("The upload was cut off.") : error;
  }
  return Buffer.concat(chunks);
}

/** Whether there are too many parts: one mark before each, and one behind the last. */
function hasMore(bytes: Buffer, mark: string): boolean {
  let at = bytes.indexOf(mark);
  for (let marks = 1; at >= 0 && marks <= MAX_PARTS + 1; marks += 1) {
    at = bytes.indexOf(mark, at + mark.length);
  }
  return at >= 0;
}

function refused(message: string): ConsoleError {
  return new ConsoleError("invalid_request", message);
}

function missing(): ConsoleError {
  return new ConsoleError("missing_file", "Send one file, in the field `file`.");
}
