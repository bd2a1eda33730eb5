// The frames of an event stream, a chunk's worth at a time.
import { createParser } from "eventsource-parser";

export type Frame = { readonly event: string | undefined; readonly data: string };

export async function* sseFrames({ body }: Response): AsyncGenerator<readonly Frame[]> {
  if (!body) return;
  let frames: Frame[] = [];
  const parser = createParser({ onEvent: ({ event, data }) => frames.push({ event, data }) });
  const decoder = new TextDecoder();
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      parser.feed(decoder.decode(value, { stream: true }));
      yield frames; // also when there is none yet: bytes are a sign of life
      frames = [];
    }
  } finally {
    await reader.cancel().catch(() => {}); // it may have failed already; then there is nothing to free
  }
}
