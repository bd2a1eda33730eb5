// Continues an answer that was interrupted: the model gets what it had said and is asked for the rest. The first
// words are held back until the seam is judged, because models repeat themselves or start again. Without this, a
// crash in a long answer costs all of it again and people read the beginning twice.
import type { RunState } from "../../state/run/state.ts";
import { values } from "../../state/vector.ts";
import type { Model, ModelPart, ModelRequest } from "../models/model.ts";

export const CONTINUE =
  "[Your answer was interrupted by a technical problem. Continue it exactly where it stops, in the middle of a word if " +
  "need be. Do not repeat any of it, do not start again and do not mention the interruption.]";

/** Enough of the rest to tell a continuation from a new beginning. */
const SEAM_CHARS = 160;
/** What a new beginning has in common with the first one. */
const SAME_START_CHARS = 24;
/** A repeated end of at least this length is no coincidence. */
const OVERLAP_CHARS = 8;

/**
 * What the cut attempts of a turn had said, if it can be continued. A step with reasoning starts again: what was
 * thought cannot be handed back in halves. So does one to which a person has said something since, and one of which
 * there is too little to tell a repetition from what goes on.
 */
export function cutAnswer({ items }: Pick<RunState, "items">, index: number): string | undefined {
  let text: string | undefined;
  for (const item of values(items)) {
    if (item.kind === "user" && !item.retracted) text = undefined;
    if (item.kind !== "text" && item.kind !== "reasoning") continue;
    if (!item.turnId.startsWith(`t${index}.`)) continue;
    if (item.kind === "reasoning") return undefined;
    if (item.text.trim() !== "") text = item.text; // of the newest attempt that said anything
  }
  const whole = text?.replace(/[\ud800-\udbff]$/, ""); // no provider takes half a character
  return whole !== undefined && whole.trim().length >= OVERLAP_CHARS ? whole : undefined;
}

/** The whole answer as parts: what was said, and then the rest of it; or a new one, if the model began again. */
export async function* continueAnswer(
  model: Model,
  { request, said }: { request: ModelRequest; said: string },
  signal: AbortSignal,
): AsyncGenerator<ModelPart> {
  const messages: ModelRequest["messages"] = [
    ...request.messages,
    { role: "assistant", text: said, toolCalls: [] },
    { role: "user", text: CONTINUE },
  ];
  let held: string | undefined = ""; // undefined: the seam has been judged
  for await (const part of model.stream({ ...request, messages }, signal)) {
    if (held !== undefined && part.type === "text") {
      held += part.text;
      if (held.length < SEAM_CHARS) continue;
      yield { type: "text", text: joined(said, held) };
      held = undefined;
      continue;
    }
    if (held !== undefined && (part.type === "tool_call" || part.type === "finish")) {
      yield { type: "text", text: joined(said, held) };
      held = undefined;
    }
    yield part;
  }
}

/** The answer so far, with what the model repeats of it once. */
export function joined(said: string, rest: string): string {
  const start = rest.trimStart();
  const same = Math.min(SAME_START_CHARS, said.length, start.length);
  const beganAgain = same >= OVERLAP_CHARS && start.startsWith(said.trimStart().slice(0, same));
  if (beganAgain) return start;
  const word = /\S*$/.exec(said)?.[0].length ?? 0; // half of one, perhaps
  for (let length = Math.min(said.length, rest.length); length >= 3; length -= 1) {
    if (length < OVERLAP_CHARS && length !== word) continue;
    if (said.endsWith(rest.slice(0, length))) return said + rest.slice(length);
  }
  return said + rest;
}
