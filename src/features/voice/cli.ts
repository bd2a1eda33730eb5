// From the program's settings to the endpoints of speech. Who asks them is loaded when somebody does. Few at once:
// each may cost money, and a page must not become a way to spend it.
import type { Config } from "../../config.ts";
import { originOf } from "../../kernel/home/secrets.ts";
import { ApiError } from "../../kernel/events/errors.ts";
import type { AudioEndpoint } from "./runner/ask-endpoint.ts";
import { OPENAI_URL } from "../../kernel/run/models/provider/urls.ts";
import type { MediaService } from "./server/media.ts";

export function mediaService(config: Config): MediaService {
  const inTurn = atMost(AT_ONCE);
  return { transcription: transcriptionOf(config, inTurn), speech: speechOf(config, inTurn) };
}

const AT_ONCE = 4;

type InTurn = <Answer>(ask: () => Promise<Answer>) => Promise<Answer>;

function atMost(limit: number): InTurn {
  let asked = 0;
  return async (ask) => {
    if (asked >= limit) {
      throw new ApiError("rate_limited", "Too much is being heard or said. Try again in a moment.");
    }
    asked += 1;
    try {
      return await ask();
    } finally {
      asked -= 1;
    }
  };
}

function transcriptionOf(config: Config, inTurn: InTurn): MediaService["transcription"] {
  const { transcription_url: url, transcription_model: model } = config;
  if (url === undefined) return null;
  const endpoint = endpointOf(config, { url, model, key: config.keys.transcription });
  return {
    model,
    address: new URL(url).origin,
    async transcribe(recording, options) {
      const { transcribe } = await import("./runner/transcribe.ts");
      return inTurn(() => transcribe(endpoint, recording, options));
    },
  };
}

function speechOf(config: Config, inTurn: InTurn): MediaService["speech"] {
  const { speech_url: url, speech_model: model, speech_voice: voice } = config;
  if (url === undefined) return null;
  const endpoint = endpointOf(config, { url, model, key: config.keys.speech });
  return {
    model,
    voice,
    address: new URL(url).origin,
    async speak(words, signal) {
      const { speak } = await import("./runner/speak.ts");
      return inTurn(() => speak(endpoint, words, signal));
    },
  };
}

type Given = Pick<AudioEndpoint, "url" | "model" | "key">;

/** Without a key of its own it has the one that goes to the same origin anyway: nobody gives it twice. */
function endpointOf(config: Config, { url, model, key }: Given): AudioEndpoint {
  const { base_url, base_urls, keys, media_timeout_ms: timeoutMs } = config;
  const others = [
    { at: base_url, key: keys.model },
    { at: base_urls.openai ?? OPENAI_URL, key: keys.openai },
  ];
  const same = others.find(({ at }) => at !== undefined && originOf(at) === originOf(url));
  return { url, model, key: key ?? same?.key, timeoutMs };
}
