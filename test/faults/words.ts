// What the person of a trial says to a run while things break: stops and steers, each until a server has answered.
// What was accepted is a promise, and the oracle holds the journal to it.
import { setTimeout as delay } from "node:timers/promises";
import { call, type Server } from "../support/http.ts";
import type { Random } from "./random.ts";

/** `after`: so many events. None: before anybody can know that the run has begun. */
export type Word = { readonly says: "stop" | "steer"; readonly after: number };
export type Said = Word & { readonly id: string; readonly accepted: boolean };

/** In the order in which they are said. Two of three runs are not stopped: they must come to their end. */
export function drawWords(random: Random): Word[] {
  const after = () => (random.below(4) === 0 ? 0 : random.between(1, 70));
  const steers = Array.from({ length: random.below(3) }, () => ({
    says: "steer" as const,
    after: after(),
  }));
  const stops = random.below(3) === 0 ? [{ says: "stop" as const, after: after() }] : [];
  return [...steers, ...stops].toSorted((one, other) => one.after - other.after);
}

/** Undefined when the trial is over before anybody has answered. */
export async function say(
  server: () => Server,
  { runId, word, id }: { runId: string; word: Word; id: string },
  signal: AbortSignal,
): Promise<Said | undefined> {
  const { says } = word;
  const [path, body] =
    says === "stop"
      ? [`/api/runs/${runId}/cancel`, { command_id: id }]
      : [`/api/runs/${runId}/messages`, { message: `Mind ${id}.`, mode: says, message_id: id }];
  while (!signal.aborted) {
    const answer = await call<{ accepted: boolean }>(server(), "POST", path, body).catch(
      () => undefined,
    );
    if (answer?.body.ok) return { ...word, id, accepted: answer.body.data.accepted };
    if (answer && answer.status < 500) throw new Error(`${id}: ${JSON.stringify(answer.body)}`);
    await delay(20);
  }
  return undefined;
}
