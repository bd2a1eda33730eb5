// What a cluster is asked to do meanwhile: sessions with several messages each, sent twice at once
// to both servers, and two windows on every session that drop and come back.
import { setTimeout as delay } from "node:timers/promises";
import { call, readEvents, type Frame, type Server } from "../../support/http.ts";
import type { Random } from "../random.ts";
import { drawScript, type Scenario } from "../scenario.ts";

export type Message = Omit<Scenario, "faults"> & { readonly id: string };
export type Session = { readonly id: string; readonly messages: readonly Message[] };

export function drawSessions(random: Random, count: number): Session[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `session-${index + 1}`,
    messages: Array.from({ length: random.between(1, 3) }, (_message, place) => {
      const id = `m-${index + 1}-${place + 1}`;
      return { id, ...drawScript(random, `effect-${index + 1}-${place + 1}`) };
    }),
  }));
}

type Started = { run_id: string };

/** Sends a message to every server until each has said which run came of it: they must agree. */
export async function send(
  servers: readonly (() => Server)[],
  session: Session,
  message: Message,
  signal: AbortSignal,
): Promise<string[]> {
  const body = { message: message.script, session_id: session.id, message_id: message.id };
  return Promise.all(
    servers.map(async (server) => {
      for (;;) {
        signal.throwIfAborted();
        const { url } = server();
        const answer = url
          ? await call<Started>(server(), "POST", "/api/runs", body).catch(() => undefined)
          : undefined;
        if (answer?.body.ok) return answer.body.data.run_id;
        if (answer && answer.status < 500) {
          throw new Error(`${message.id}: ${answer.status} ${JSON.stringify(answer.body)}`);
        }
        await delay(50);
      }
    }),
  );
}

export type Window = { readonly frames: Frame[]; connections: number };

/** Follows a session, now at this server and now at that one, until `isOver` with what it has. */
export async function follow(
  servers: readonly (() => Server)[],
  session: Session,
  options: {
    window: Window;
    dropAfter: () => number;
    onFrame: () => void;
    isOver: (frames: readonly Frame[]) => boolean;
    signal: AbortSignal;
  },
): Promise<void> {
  const { window, signal } = options;
  for (let turn = 0; !options.isOver(window.frames); turn += 1) {
    signal.throwIfAborted();
    const server = servers[Math.floor(turn / 3) % servers.length] as () => Server;
    window.connections += 1;
    const path = `/api/sessions/${session.id}/events`;
    const { frames, status } = await readEvents(server(), path, {
      take: options.dropAfter(),
      after: window.frames.at(-1)?.id,
      limitMs: 2_000,
      until: () => {
        options.onFrame();
        return signal.aborted;
      },
    });
    if (status >= 400 && status < 500 && status !== 404) {
      throw new Error(`a window of ${session.id} was refused: ${status}`);
    }
    window.frames.push(...frames);
    if (frames.length === 0) await delay(30);
  }
}
