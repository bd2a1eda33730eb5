// A model that repeats a person's newest message. Of a message that begins with "cut" it says half and then hangs, the
// first time: for tests that kill a runner in the middle of a step.
import {
  finish,
  hang,
  startModelServer,
  textChunk,
  type ModelServer,
  type RecordedRequest,
} from "./model-server.ts";
import { CONTINUE } from "../../../src/kernel/run/context/continue-answer.ts";
import { messagesIn } from "./scripted-agent.ts";

const USAGE = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };

export async function startEcho(): Promise<ModelServer> {
  const cut = new Set<string>();
  return startModelServer((request) => {
    const words = wordsIn(request);
    if (words.startsWith("cut") && !cut.has(words)) {
      cut.add(words);
      return [textChunk("Here is half of "), hang];
    }
    const text = words === CONTINUE ? "what was asked for." : `You said ${words}`;
    const said = text.split(/(?<= )/);
    return [...said.map(textChunk), finish("stop", USAGE)];
  });
}

function wordsIn(request: RecordedRequest): string {
  return String(messagesIn(request).findLast(({ role }) => role === "user")?.content);
}
