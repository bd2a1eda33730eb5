// Text to speech, by an endpoint that speaks as OpenAI's does. What it sends must be sound by its bytes.
import { MAX_ATTACHMENT_BYTES } from "../../../kernel/events/attachment-limits.ts";
import { audioTypeOf, type AudioType } from "../../../kernel/events/audio-type.ts";
import { SNIFF_BYTES } from "../../../kernel/events/media-type.ts";
import { askEndpoint, failed, type AudioEndpoint } from "./ask-endpoint.ts";

export type Words = { readonly text: string; readonly voice: string };
export type Sound = { readonly bytes: Uint8Array; readonly type: AudioType };

export async function speak(
  endpoint: AudioEndpoint,
  { text, voice }: Words,
  signal: AbortSignal,
): Promise<Sound> {
  const { model } = endpoint;
  const input = text.toWellFormed();
  const bytes = await askEndpoint(endpoint, {
    path: "/audio/speech",
    body: JSON.stringify({ model, input, voice, response_format: "mp3" }),
    accept: "audio/*",
    maxBytes: MAX_ATTACHMENT_BYTES,
    signal,
  });
  const type = audioTypeOf(bytes.subarray(0, SNIFF_BYTES));
  if (!type) throw failed("bad_answer", "its answer is no sound");
  return { bytes, type };
}
