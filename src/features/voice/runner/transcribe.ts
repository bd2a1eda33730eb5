// Speech to text, by an endpoint that speaks as OpenAI's does.
import { z } from "zod";
import { AUDIO_ENDINGS, type AudioType } from "../../../kernel/events/audio-type.ts";
import { askEndpoint, failed, type AudioEndpoint } from "./ask-endpoint.ts";

export type Recording = { readonly bytes: Uint8Array<ArrayBuffer>; readonly type: AudioType };
export type Transcribing = {
  readonly language?: string | undefined;
  readonly signal: AbortSignal;
};

const MAX_ANSWER = 1_000_000;
const Answer = z.looseObject({
  text: z.string(),
  language: z.string().max(64).nullish().catch(null),
  duration: z.number().nonnegative().nullish().catch(null),
});

export async function transcribe(
  endpoint: AudioEndpoint,
  { bytes, type }: Recording,
  { language, signal }: Transcribing,
) {
  const form = new FormData();
  // Named by what it is: what somebody called it on their disk is nobody's business.
  form.append("file", new Blob([bytes], { type }), `recording.${AUDIO_ENDINGS[type]}`);
  form.append("model", endpoint.model);
  form.append("response_format", "json"); // the one that every model knows
  if (language !== undefined) form.append("language", language);
  const answer = await askEndpoint(endpoint, {
    path: "/audio/transcriptions",
    body: form,
    accept: "application/json",
    maxBytes: MAX_ANSWER,
    signal,
  });
  const { text, language: heard, duration } = parsed(answer);
  return {
    text: text.toWellFormed().replaceAll("\0", "").trim(),
    language: heard ?? null,
    duration: duration ?? null,
  };
}

function parsed(bytes: Buffer): z.infer<typeof Answer> {
  try {
    return Answer.parse(JSON.parse(bytes.toString("utf8")));
  } catch {
    throw failed("bad_answer", "its answer is no transcription");
  }
}
