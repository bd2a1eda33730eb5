// Follows a run as a persistent client does: reconnects with its cursor until the terminal event, whatever is killed
// meanwhile, and records every frame.
import { setTimeout as delay } from "node:timers/promises";
import type { RunEvent } from "../../src/kernel/events/events.ts";
import { readEvents, type Frame, type Server } from "./http.ts";

export type Followed = {
  frames: Frame[];
  events: RunEvent[];
  connections: number;
};

export type FollowOptions = {
  /** Called with each new frame's position; may return how many more frames to read before disconnecting. */
  dropAfter?: () => number;
  onFrame?: (event: RunEvent, count: number) => void;
  limitMs?: number;
};

export async function followRun(
  server: () => Server,
  runId: string,
  options: FollowOptions = {},
): Promise<Followed> {
  const followed: Followed = { frames: [], events: [], connections: 0 };
  const deadline = performance.now() + (options.limitMs ?? 60_000);
  for (;;) {
    const after = followed.frames.at(-1)?.id;
    followed.connections += 1;
    const take = options.dropAfter?.();
    const { frames } = await readEvents(server(), `/api/runs/${runId}/events`, {
      ...(take !== undefined && { take }),
      after,
      limitMs: Math.max(1, deadline - performance.now()),
      until: (frame) => {
        const event = JSON.parse(frame.data) as RunEvent;
        options.onFrame?.(event, event.seq);
        return event.terminal;
      },
    });
    followed.frames.push(...frames);
    followed.events.push(...frames.map(({ data }) => JSON.parse(data) as RunEvent));
    if (followed.events.at(-1)?.terminal) return followed;
    if (performance.now() > deadline) {
      throw new Error(`run ${runId} did not end; last: ${followed.frames.at(-1)?.data}`);
    }
    if (frames.length === 0) await delay(30); // the server is down: retry, as a browser would
  }
}
