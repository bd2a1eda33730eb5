// The built-in model for people without a key or a network: it plays scripts and says that it does.
// A pure function of the request: the same messages give the same parts, in any process, after any crash.
import { setImmediate, setTimeout } from "node:timers/promises";
import { locate, quote, type Position } from "./position.ts";
import type { Beat, Turn } from "./turns.ts";
import {
  ModelError,
  type Model,
  type ModelPart,
  type ModelRequest,
} from "../../../kernel/run/models/model.ts";

const DEFAULT_DELAY_MS = 25;
const WORDS_PER_BREATH = 64; // without waits, the event loop still has to hear an abort

type Usage = { text: number; reasoning: number };
type Wait = (pace: number | undefined) => Promise<void>;

export function createDemo({ delayMs = DEFAULT_DELAY_MS }: { delayMs?: number } = {}): Model {
  async function* stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelPart> {
    signal.throwIfAborted();
    const position = locate(request);
    const wait = createWait(delayMs, signal);
    const turn = position.turns[position.next];
    const beats = turn ? [...remarks(position, turn), ...turn.beats] : [];
    const usage: Usage = { text: 0, reasoning: 0 };
    yield* playBeats({ beats, turn: position.next, usage, wait });
    if (turn?.failure !== undefined)
      throw new ModelError("bad_request", turn.failure.slice(0, 300));
    const calls = turn ? toolCalls(turn, position.next) : [];
    yield* calls;
    yield {
      type: "usage", // words stand for tokens here
      inputTokens: request.messages.reduce((sum, { text }) => sum + words(text).length, 0),
      outputTokens: usage.text + usage.reasoning,
      reasoningTokens: usage.reasoning,
      cachedTokens: null,
    };
    yield { type: "finish", reason: calls.length > 0 ? "tool_calls" : "stop" };
  }

  return {
    provider: "demo",
    id: "demo",
    contextWindow: null,
    price: { input: 0, output: 0 },
    aside: demoSideQuestion,
    stream,
  };
}

type Performance = { beats: readonly Beat[]; turn: number; usage: Usage; wait: Wait };

async function* playBeats({ beats, turn, usage, wait }: Performance): AsyncGenerator<ModelPart> {
  let separator = "";
  for (const [at, beat] of beats.entries()) {
    if (beat.kind === "think") {
      const id = `think-${turn}-${at}`;
      for (const text of words(beat.text)) {
        usage.reasoning += 1;
        yield { type: "reasoning", id, text };
        await wait(beat.pace);
      }
      yield { type: "reasoning_end", id };
      continue;
    }
    for (const word of beat.kind === "say" ? words(beat.text) : numbers(beat.upTo)) {
      usage.text += 1;
      yield { type: "text", text: separator + word };
      separator = "";
      await wait(beat.pace);
    }
    if (usage.text > 0) separator = "\n";
  }
}

/** What the person or a tool said since the last turn is answered before the script goes on. */
function remarks({ steers, failedTools }: Position, { pace }: Turn): Beat[] {
  const names = [...new Set(failedTools)].join(", ");
  const failed = names === "" ? [] : [`That did not work (${names}); I go on.`];
  const noted = steers.map((steer) => `Noted: ${quote(steer)}`);
  return [...failed, ...noted].map((text) => ({ kind: "say", text, pace }));
}

function toolCalls({ calls }: Turn, turn: number): ModelPart[] {
  return calls.map(({ name, args }, at) => ({
    type: "tool_call",
    providerCallId: `demo-${turn}-${at}`,
    name,
    argumentsText: JSON.stringify(args),
  }));
}

function words(text: string): string[] {
  return text.toWellFormed().match(/\S+\s*|^\s+/g) ?? [];
}

function* numbers(upTo: number): Generator<string> {
  for (let number = 1; number <= upTo; number += 1) yield `${number} `;
}

function createWait(delayMs: number, signal: AbortSignal): Wait {
  let breath = 0;
  return async (pace) => {
    const ms = pace ?? delayMs;
    breath += 1;
    try {
      if (ms > 0) await setTimeout(ms, undefined, { signal });
      else if (breath % WORDS_PER_BREATH === 0) await setImmediate();
    } finally {
      signal.throwIfAborted();
    }
  };
}

// What the scripted model answers to side questions. It cannot judge or understand, and says so.
function demoSideQuestion(kind: "title" | "summary" | "goal", text: string): string {
  if (kind === "title") return ""; // the first words say as much
  if (kind === "goal") {
    const reason = "The demo model cannot judge; it takes what was done for the goal.";
    return JSON.stringify({ decision: "met", reason });
  }
  const said = text.split("\n").filter((line) => /^(user|assistant): \S/.test(line));
  const lines = said.map((line) => `- ${line.slice(0, MAX_LINE)}`).slice(-MAX_LINES);
  return ["The demo model only lists what was said:", ...lines].join("\n");
}

const MAX_LINE = 200;
const MAX_LINES = 50;
