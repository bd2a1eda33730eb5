// Native API: sound and speech.
import type { FastifyPluginAsync } from "fastify";
import { Speak, Transcribe } from "../records.ts";
import { isAudioType } from "../../../kernel/events/audio-type.ts";
import { ApiError, parse } from "../../../kernel/events/errors.ts";
import { isImageType } from "../../../kernel/events/media-type.ts";
import type { AppDeps } from "../../../kernel/server/app.ts";
import type { Room } from "../../../kernel/server/room.ts";
import { contentOf, NO_MEDIA, openMedia, whileAsked } from "./media.ts";
import { sendBlob } from "../../../kernel/server/routes/blobs.ts";
import { data } from "../../../kernel/server/routes/replies.ts";

export const mediaRoom: Room = (deps) => {
  const { transcription, speech } = deps.media ?? NO_MEDIA;
  const media = { transcription: transcription !== null, speech: speech !== null };
  return { routes: mediaRoutes(deps), prefix: "/api", status: () => ({ media }) };
};

function mediaRoutes({ journal, media: service }: AppDeps): FastifyPluginAsync {
  const { blobs } = journal;
  const media = openMedia(journal, service ?? NO_MEDIA);
  return async (app) => {
    app.get("/media", async () => data(media.view()));
    app.get("/media/:sha256", async (request, reply) => {
      const { sha256 } = request.params as { sha256: string };
      const content = await contentOf(blobs, sha256);
      if (!content) throw new ApiError("blob_not_found", "There is no such content.");
      const { size, type: found } = content;
      const inline = isAudioType(found) || isImageType(found);
      const type = inline ? found : "application/octet-stream"; // what could be a page is none of ours
      return sendBlob(blobs, { sha256, size, type, inline }, [request, reply]);
    });
    app.post("/media/transcribe", async ({ body }, reply) => {
      const options = parse(Transcribe, body ?? {});
      return data(await whileAsked(reply, (signal) => media.transcribe(options, signal)));
    });
    app.post("/media/speak", async ({ body }, reply) => {
      const options = parse(Speak, body ?? {});
      return data(await whileAsked(reply, (signal) => media.speak(options, signal)));
    });
  };
}
