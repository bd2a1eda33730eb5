// A model that works through a list of steps. It has no memory: the next step follows from the conversation that it is
// sent, so a step that is asked for again after a crash is the same step.
import { CONTINUE } from "../../../src/kernel/run/context/continue-answer.ts";
import {
  finish,
  startModelServer,
  textChunk,
  toolCallChunk,
  type ModelServer,
  type RecordedRequest,
  type Reply,
  type ReplyStep,
} from "./model-server.ts";

export type AgentStep = {
  say?: string;
  /** The usage that the provider reports. */
  promptTokens?: number;
  calls?: readonly { name: string; args: Record<string, unknown> }[];
  /** The answer waits until this settles. */
  after?: () => Promise<unknown>;
};
type Message = { role: string; content?: unknown; tool_calls?: unknown[] };

export const messagesIn = ({ body }: RecordedRequest) => body["messages"] as Message[];
/** A side question (title, summary, goal) offers no tools. */
export const isSideQuestion = ({ body }: RecordedRequest) => body["tools"] === undefined;

export type Script = (request: RecordedRequest) => readonly AgentStep[];

export async function startAgent(
  script: readonly AgentStep[] | Script,
  aside: (request: RecordedRequest) => string | Reply = () => "A title",
): Promise<ModelServer> {
  const stepsFor: Script = typeof script === "function" ? script : () => script;
  return startModelServer((request) => {
    if (isSideQuestion(request)) {
      const answer = aside(request);
      return typeof answer === "string" ? replyTo({ say: answer }) : answer;
    }
    const messages = messagesIn(request);
    const cut = messages.at(-1)?.content === CONTINUE ? messages.at(-2) : undefined;
    const asked = cut ? messages.slice(0, -2) : messages;
    const step = stepsFor(request)[position(asked)] ?? { say: "Nothing left to do." };
    return replyTo(cut ? restOf(step, String(cut.content)) : step);
  });
}

/** The number of finished steps: assistant messages since the person's newest message. */
function position(messages: readonly Message[]): number {
  const from = messages.findLastIndex(({ role }) => role === "user");
  return messages.slice(from).filter(({ role }) => role === "assistant").length;
}

/** Continues an interrupted step, as real models do on request. */
function restOf(step: AgentStep, said: string): AgentStep {
  return { ...step, say: step.say?.startsWith(said) ? step.say.slice(said.length) : "" };
}

async function* replyTo({ after, ...step }: AgentStep): AsyncGenerator<ReplyStep> {
  await after?.();
  yield* chunksOf(step);
}

function chunksOf({ say = "", calls = [], promptTokens = 100 }: AgentStep): ReplyStep[] {
  return [
    ...say.split(/(?<= )/).map(textChunk),
    ...calls.map(({ name, args }, at) =>
      toolCallChunk(at, `call_${at}`, name, JSON.stringify(args)),
    ),
    finish(calls.length > 0 ? "tool_calls" : "stop", {
      prompt_tokens: promptTokens,
      completion_tokens: 20,
      total_tokens: promptTokens + 20,
    }),
  ];
}
