// Follows a session's stream across its runs until a condition holds, and reconnects with the last `id:`, as an
// EventSource would.
import type { RunEvent } from "../../src/kernel/events/events.ts";
import { readEvents, type Frame, type Server } from "./http.ts";

export async function followSession(
  server: Server,
  sessionId: string,
  options: { dropAfter?: () => number; until: (event: RunEvent) => boolean },
): Promise<{ frames: Frame[]; events: RunEvent[]; connections: number }> {
  const frames: Frame[] = [];
  const events: RunEvent[] = [];
  for (let connections = 1; ; connections += 1) {
    const take = options.dropAfter?.();
    const got = await readEvents(server, `/api/sessions/${sessionId}/events`, {
      ...(take !== undefined && { take }),
      after: frames.at(-1)?.id,
      until: ({ data }) => options.until(JSON.parse(data) as RunEvent),
    });
    frames.push(...got.frames);
    events.push(...got.frames.map(({ data }) => JSON.parse(data) as RunEvent));
    if (events.some(options.until)) return { frames, events, connections };
  }
}
