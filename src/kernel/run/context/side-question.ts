// Asks the run's model a side question: a title, a summary, whether a goal is met. It has no tools and shows nothing;
// its usage is journaled like that of any call.
import type { Draft } from "../../events/events.ts";
import { ModelError, type Model } from "../models/model.ts";
import { usageDraft, type UsagePart } from "../loop/usage.ts";

export type SideQuestion = {
  readonly kind: "title" | "summary" | "goal";
  readonly system: string;
  readonly text: string;
  readonly runId: string;
};
export type SideQuestionAnswer = { readonly text: string; readonly usage: Draft };

const MAX_CHARS = 65_536;

export async function askSideQuestion(
  model: Model,
  { kind, system, text, runId }: SideQuestion,
  signal: AbortSignal,
): Promise<SideQuestionAnswer> {
  const started = performance.now();
  const usage = (part: UsagePart | undefined) =>
    usageDraft(part, { turnId: kind, model, durationMs: performance.now() - started });
  if (model.aside) return { text: model.aside(kind, text), usage: usage(undefined) };
  const messages = [
    { role: "system" as const, text: system },
    { role: "user" as const, text },
  ];
  let said = "";
  let used: UsagePart | undefined;
  for await (const part of model.stream({ messages, tools: [], runId }, signal)) {
    if (part.type === "text") said += part.text;
    if (part.type === "usage") used = part;
    if (said.length > MAX_CHARS) {
      throw new ModelError("malformed_output", `The model's ${kind} is longer than it may be`);
    }
  }
  signal.throwIfAborted();
  return { text: said.trim(), usage: usage(used) };
}
