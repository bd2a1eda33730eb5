// Asks a model one short question, to see whether it answers: a key that expired and a server that is not
// running are better known before a run than in it.
import { ModelError } from "./model.ts";
import { resolveModel, type ModelSettings } from "./resolve-model.ts";
import { truncate } from "../../text/truncate.ts";

export type Tried = {
  readonly model: string;
  readonly status: "answered" | "failed";
  readonly text: string; // the first words
  readonly duration_ms: number;
  readonly error: { readonly code: string; readonly message: string } | null;
};
export type TryOptions = { readonly signal: AbortSignal; readonly timeoutMs?: number };

const TIMEOUT_MS = 20_000;
const MAX_CHARS = 200;
const QUESTION = "This is a test of the connection. Answer with one short friendly sentence.";
const SCRIPT = "say The demo model answers. Its words come from a script.";

/** Throws `signal.reason` when told to stop; everything else is an answer. */
export async function tryModel(
  settings: ModelSettings,
  name: string,
  { signal, timeoutMs = TIMEOUT_MS }: TryOptions,
): Promise<Tried> {
  const began = performance.now();
  const late = AbortSignal.timeout(timeoutMs);
  const tried = (status: Tried["status"], text: string, error: Tried["error"]): Tried => {
    const duration_ms = Math.round(performance.now() - began);
    const safe = error && { ...error, message: withoutKeys(error.message, settings) };
    return { model: name, status, text: withoutKeys(text, settings), duration_ms, error: safe };
  };
  try {
    const text = await firstWords(settings, name, AbortSignal.any([signal, late]));
    return tried("answered", text, null);
  } catch (error) {
    signal.throwIfAborted();
    if (late.aborted) {
      const message = `No answer within ${Math.round(timeoutMs / 1_000)} s.`;
      return tried("failed", "", { code: "timeout", message });
    }
    if (!(error instanceof ModelError)) throw error; // a bug: its words may hold anything
    return tried("failed", "", { code: error.code, message: error.message });
  }
}

/** Leaving the loop closes the connection: a talkative model is not paid for more than this. */
async function firstWords(settings: ModelSettings, name: string, signal: AbortSignal) {
  const model = resolveModel({ ...settings, demoDelayMs: 0 })(name);
  const question = model.provider === "demo" ? SCRIPT : QUESTION;
  const messages = [{ role: "user", text: question }] as const;
  let text = "";
  for await (const part of model.stream({ messages, tools: [], runId: "test" }, signal)) {
    if (part.type !== "text") continue;
    text += part.text;
    if (text.length >= MAX_CHARS) break;
  }
  return truncate(text.trim(), MAX_CHARS);
}

/** A server may send back what it was sent. */
function withoutKeys(text: string, settings: ModelSettings): string {
  const { modelKey, openAiKey, anthropicKey, googleKey } = settings;
  return [modelKey, openAiKey, anthropicKey, googleKey]
    .filter((key) => key !== undefined && key !== "")
    .reduce<string>((safe, key) => safe.replaceAll(key ?? "", "[key]"), text);
}
