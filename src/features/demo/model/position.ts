// Finds, from the messages alone, which script is being played and which turn of it comes next.
// No memory of its own: whoever asks with the same messages gets the same position.
import { parseScript, type Directive } from "./script.ts";
import { TOUR } from "./tour.ts";
import { toTurns, type Turn } from "./turns.ts";
import type { ModelMessage, ModelRequest } from "../../../kernel/run/models/model.ts";
import { truncate } from "../../../kernel/text/truncate.ts";

const MAX_QUOTE_CHARS = 200;

export type Position = {
  turns: readonly Turn[];
  next: number; // index into turns; turns.length when all have been played
  steers: readonly string[]; // what the person said since the last turn
  failedTools: readonly string[]; // whose results since the last turn were errors
};

export function locate({ messages, tools }: Pick<ModelRequest, "messages" | "tools">): Position {
  const names = new Set(tools.map(({ name }) => name));
  const start: Position = { turns: [], next: 0, steers: [], failedTools: [] };
  return messages.reduce((position, message) => advance(position, message, names), start);
}

function advance(position: Position, message: ModelMessage, tools: ReadonlySet<string>): Position {
  switch (message.role) {
    case "system":
      return position;
    case "user": {
      const script = parseScript(message.text);
      if (script === undefined && isPlaying(position)) {
        const said = [message.text, ...attachedTo(message)];
        return { ...position, steers: [...position.steers, ...said] };
      }
      const turns = toTurns(script ?? introducedTour(message.text), tools);
      return { turns, next: 0, steers: attachedTo(message), failedTools: [] };
    }
    case "assistant": {
      // An answer without calls ended its run, even if it was cut short.
      const next = message.toolCalls.length === 0 ? position.turns.length : position.next + 1;
      return { ...position, next, steers: [], failedTools: [] };
    }
    case "tool":
      return message.isError
        ? { ...position, failedTools: [...position.failedTools, message.name] }
        : position;
    default:
      return message satisfies never;
  }
}

/** Files are remarked on like words said in between: a script has no place for them. */
function attachedTo(message: Extract<ModelMessage, { role: "user" }>): string[] {
  const first = (text: string) => text.split("\n")[0]?.replace(/, begins: \w+\]$/, "]") ?? "";
  return (message.attached ?? []).map(({ text }) => first(text));
}

/** A turn that fails ended its run too, and left no message behind. */
function isPlaying({ turns, next }: Position): boolean {
  const turn = turns[next];
  return turn !== undefined && turn.failure === undefined;
}

/** What the page's button sends: asking for the tour needs no excuse. */
const ASKS_FOR_TOUR = /^show me what quarterdeck does\W*$/i;

function introducedTour(prompt: string): readonly Directive[] {
  if (ASKS_FOR_TOUR.test(prompt.trim())) return TOUR;
  const text = `You wrote “${quote(prompt)}”; I am the scripted demo model, not a language model, so I cannot answer that and give you a tour instead.`;
  return [{ kind: "say", text }, ...TOUR];
}

export function quote(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return truncate(line, MAX_QUOTE_CHARS, MAX_QUOTE_CHARS);
}
