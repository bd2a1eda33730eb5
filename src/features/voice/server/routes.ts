// Native API: sound and speech.
import type { FastifyPluginAsync } from "fastify";
import { mediaApi } from "../api.ts";
import { isAudioType } from "../../../kernel/events/audio-type.ts";
import { isImageType } from "../../../kernel/events/media-type.ts";
import type { AppDeps } from "../../../kernel/server/app.ts";
import type { Room } from "../../../kernel/server/room.ts";
import { contentOf, NO_MEDIA, openMedia, whileAsked } from "./media.ts";
import { sendBlob } from "../../../kernel/server/routes/blobs.ts";
import { mount } from "../../../kernel/server/mount.ts";
import { requireFound } from "../../../kernel/server/routes/replies.ts";

const NO_CONTENT = { code: "blob_not_found", message: "There is no such content." } as const;

export const mediaRoom: Room = (deps) => {
  const { transcription, speech } = deps.media ?? NO_MEDIA;
  const media = { transcription: transcription !== null, speech: speech !== null };
  return { routes: mediaRoutes(deps), prefix: "/api", status: () => ({ media }) };
};

function mediaRoutes({ journal, media: service }: AppDeps): FastifyPluginAsync {
  const { blobs } = journal;
  const media = openMedia(journal, service ?? NO_MEDIA);
  return mount(mediaApi, {
    getMedia: () => media.view(),
    getMediaContent: async ({ params: { sha256 }, query: { name }, request, reply }) => {
      const content = requireFound(await contentOf(blobs, sha256), NO_CONTENT);
      const { size, type: found } = content;
      const inline = isAudioType(found) || isImageType(found);
      const type = inline ? found : "application/octet-stream"; // what could be a page is none of ours
      return sendBlob(blobs, { sha256, size, type, inline, name }, [request, reply]);
    },
    transcribe: ({ body, reply }) => whileAsked(reply, (signal) => media.transcribe(body, signal)),
    speak: ({ body, reply }) => whileAsked(reply, (signal) => media.speak(body, signal)),
  });
}
