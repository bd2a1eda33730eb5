// Titles a session from its first message, beside the first turn so that nobody waits. It never replaces a title that
// a person gave; a run that ends earlier gets none.
import { settlesWithin } from "../../workspace/processes/settles-within.ts";
import { askSideQuestion } from "./side-question.ts";
import { ModelError, type Model } from "../models/model.ts";
import type { RunLog } from "../loop/run-log.ts";

const MAX_TITLE = 80;
const GRACE_MS = 1_000;
const SYSTEM =
  "Give the conversation that begins with the user's message a title of at most eight words, in the " +
  "language of the message. Answer with the title only: no quotes, no full stop.";

/** After either of them nothing more is appended. */
export type TitleWork = {
  /** Waits a moment for a title that is nearly there. */
  finish(): Promise<void>;
  stop(): Promise<void>;
};

const NOTHING: TitleWork = { finish: async () => undefined, stop: async () => undefined };

export async function startTitle(log: RunLog, model: Model): Promise<TitleWork> {
  const session = await log.journal.reads.session(log.claim.sessionId);
  if (log.state.parentRunId !== null || session?.title_source !== "prompt") return NOTHING;
  const stop = new AbortController();
  const work = makeTitle(log, model, AbortSignal.any([log.signal, stop.signal]));
  return {
    async finish() {
      if (!(await settlesWithin(work, GRACE_MS))) stop.abort();
      await work;
    },
    async stop() {
      stop.abort();
      await work;
    },
  };
}

/** Never rejects: a run is not worth less for having no title. */
async function makeTitle(log: RunLog, model: Model, signal: AbortSignal): Promise<void> {
  try {
    const run = await log.journal.reads.run(log.claim.runId);
    const text = run?.prompt ?? "";
    const aside = { kind: "title", system: SYSTEM, text, runId: log.claim.runId } as const;
    const answer = await askSideQuestion(model, aside, signal);
    const title = cleanTitle(answer.text);
    if (title === "") return;
    signal.throwIfAborted();
    const emitted = { type: "title.updated", payload: { title, source: "model" } } as const;
    // A person gave one meanwhile: this one was paid for all the same.
    if (!(await log.appendUnlessOutdated([answer.usage, emitted])))
      await log.append([answer.usage]);
  } catch (error) {
    if (error instanceof ModelError || signal.aborted) return;
    log.abort(error instanceof Error ? error : new Error(String(error)));
  }
}

export function cleanTitle(text: string): string {
  const line = text.split("\n").find((part) => part.trim() !== "") ?? "";
  const bare = line.trim().replaceAll(/^["'“”#*\s]+|["'“”.*\s]+$/g, "");
  return bare.slice(0, MAX_TITLE).toWellFormed().trim();
}
