// Describes in a few words, for lists, what a run is doing. The text changes when a turn, a call or a plan's step begins,
// never during one: tokens do not update it.
import { displayOf } from "../../state/tools/display.ts";

export const THINKING = "thinking";
export const WAITING = "waiting for you";
export const waitingForVolume = (volume: string) =>
  `waiting for a runner that reaches volume ${volume}`;
const MAX = 80; // characters

/** Describes a call that begins. */
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

/** Reads the stored text: the plan's step, a line break, the action within it. */
export function activityText(stored: string): string {
  const [step = "", now = ""] = stored.split("\n");
  return now === "" || now === THINKING ? step || THINKING : now;
}
