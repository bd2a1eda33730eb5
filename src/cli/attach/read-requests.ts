// Nobody allows what they have not had before their eyes. An answer is meant for what stood first when its first
// key was pressed; what came only just then, because another window answered the one before it, nobody has read.
import type { SessionStore } from "../../kernel/client/session-store.ts";
import { pendingOf, type Intent } from "./act.ts";

/** Longer than a key takes that was already on its way. */
export const READ_MS = 500;

export function readRequests({ getState, subscribe }: SessionStore, readMs: number) {
  let first: { readonly id: string | undefined; readonly since: number } = {
    id: undefined,
    since: 0,
  };
  let aimedAt: string | undefined;
  const look = () => {
    const id = pendingOf(getState())[0]?.request.id;
    if (id !== first.id) first = { id, since: performance.now() };
  };
  subscribe(look); // for as long as there is a store
  return {
    /** With the first key of an answer: of words, or the only one. */
    aim(): void {
      look();
      aimedAt = performance.now() - first.since >= readMs ? first.id : undefined;
    },
    /** If not, the person is told so, and the same words once more are meant for what stands there now. */
    isMeant(intent: Intent): boolean {
      if (intent.kind !== "approve" && intent.kind !== "answer") return true;
      const { id } = intent.request.request;
      const isMeant = id === aimedAt;
      aimedAt = id;
      return isMeant;
    },
  };
}

export const JUST_CAME = "This question has only just come. Read it, and answer again.";
