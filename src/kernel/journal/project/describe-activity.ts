// What a run is doing now, in a few words for lists. It changes when a turn, a call or a plan's step
// begins, never while one goes on: the hot path of tokens does not know of it.
import { displayOf } from "../../state/tools/display.ts";

export const THINKING = "thinking";
export const WAITING = "waiting for you";
export const waitingForVolume = (volume: string) =>
  `waiting for a runner that reaches volume ${volume}`;
const MAX = 80; // characters

/** Of a call that begins. */
export function doing(name: string, given: unknown): string {
  const { activity } = displayOf(name);
  const known = typeof given === "object" && given !== null ? given : {};
  return short(activity ? activity(known as Record<string, unknown>) : `using ${name}`);
}

/** One line of bounded length. */
export function short(text: string): string {
  const line = text
    .slice(0, MAX * 4)
    .replaceAll(/\s+/g, " ")
    .trim();
  const cut = line
    .slice(0, MAX - 1)
    .toWellFormed()
    .trimEnd();
  return line.length > MAX ? `${cut}…` : line;
}

/** From what is stored: the plan's step, a line break, what is done in it. */
export function activityText(stored: string): string {
  const [step = "", now = ""] = stored.split("\n");
  return now === "" || now === THINKING ? step || THINKING : now;
}
