// A model that stops in the middle of its answer until a test lets it continue, and says all of it when it is asked again.
// The message selects the behaviour: `think` begins with a thought (such a step starts again after a crash, others are
// continued), `quick` does not stop, `fail` is refused.
import { CONTINUE } from "../../../src/kernel/run/context/continue-answer.ts";
import {
  answer,
  finish,
  reasoningChunk,
  startModelServer,
  textChunk,
  waitFor,
  type ModelServer,
  type RecordedRequest,
  type ReplyStep,
} from "./model-server.ts";
import { messagesIn } from "./scripted-agent.ts";

const WORDS = Array.from({ length: 40 }, (_, at) => `w${at + 1}`);
export const ANSWER = WORDS.join(" ");
/** The text before it stops. */
export const HALF = `${WORDS.slice(0, 20).join(" ")} `;

export type HaltingModel = ModelServer & {
  /** Lets all stopped answers continue. */
  release(): void;
};

export async function startHaltingModel(): Promise<HaltingModel> {
  const asked = new Set<string>();
  let gate = Promise.withResolvers<void>();
  const model = await startModelServer((request) => {
    const { words, said } = read(request);
    if (words.includes("fail")) return answer(400, { error: { message: "It broke." } });
    const stops = !asked.has(words) && !words.includes("quick");
    asked.add(words);
    return emit(words, ANSWER.slice(said.length), stops ? gate.promise : undefined);
  });
  const release = () => {
    gate.resolve();
    gate = Promise.withResolvers<void>();
  };
  return Object.assign(model, { release });
}

/** The person's last message, and the partial answer that the model was given. */
function read(request: RecordedRequest): { words: string; said: string } {
  const messages = messagesIn(request).map(({ role, content }) => ({
    role,
    text: String(content),
  }));
  const cut = messages.at(-1)?.text === CONTINUE ? (messages.at(-2)?.text ?? "") : "";
  const own = messages.filter(({ text }) => text !== CONTINUE);
  return { words: own.findLast(({ role }) => role === "user")?.text ?? "", said: cut };
}

function* emit(words: string, text: string, stop?: Promise<void>): Generator<ReplyStep> {
  if (words.includes("think")) yield reasoningChunk("Hm. ");
  for (const word of text.split(/(?<= )/)) {
    if (stop && word === "w21 ") yield waitFor(stop);
    yield textChunk(word);
  }
  yield finish("stop", { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 });
}
