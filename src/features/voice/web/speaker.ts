// The page's only voice. A new reading ends the previous one; the next piece is fetched while one plays.
import { toApiFailure } from "../../../kernel/client/api-failure.ts";
import { immediately, createListeners } from "../../../kernel/client/listeners.ts";

export type Reading = {
  readonly id: string;
  readonly status: "asking" | "speaking" | "failed";
  readonly problem: string | null;
};

export type Voice = (piece: string, signal: AbortSignal) => Promise<Blob>;

const listeners = createListeners(immediately);
let reading: Reading | null = null;
let ending = new AbortController();

export const getReading = (): Reading | null => reading;
export const subscribe = listeners.subscribe;

function change(next: Reading | null): void {
  reading = next;
  listeners.notify();
}

export function stopReading(): void {
  ending.abort();
  change(null);
}

export function readAloud(id: string, pieces: readonly string[], voice: Voice): void {
  stopReading();
  ending = new AbortController();
  const { signal } = ending;
  change({ id, status: "asking", problem: null });
  speakAll(id, pieces, { voice, signal }).then(
    () => !signal.aborted && change(null),
    (error: unknown) =>
      !signal.aborted && change({ id, status: "failed", problem: problemOf(error) }),
  );
}

type Speaking = { readonly voice: Voice; readonly signal: AbortSignal };

async function speakAll(id: string, pieces: readonly string[], { voice, signal }: Speaking) {
  const ask = (piece: string | undefined) => {
    const asked = piece === undefined ? null : voice(piece, signal);
    asked?.catch(() => {}); // told when its turn comes
    return asked;
  };
  let next = ask(pieces[0]);
  for (let at = 0; next !== null; at += 1) {
    const sound = await next;
    next = ask(pieces[at + 1]);
    signal.throwIfAborted();
    await heard(sound, signal, () => change({ id, status: "speaking", problem: null }));
  }
}

/** Resolves when the sound has been played to its end. */
async function heard(spoken: Blob, signal: AbortSignal, onStart: () => void): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const url = URL.createObjectURL(spoken);
  const sound = new Audio(url);
  sound.addEventListener("ended", () => resolve());
  sound.addEventListener("error", () => reject(new Error("The sound cannot be played.")));
  const stop = () => reject(signal.reason as Error);
  signal.addEventListener("abort", stop);
  try {
    await Promise.race([sound.play(), promise]);
    onStart();
    await promise;
  } finally {
    signal.removeEventListener("abort", stop);
    sound.pause();
    sound.removeAttribute("src");
    URL.revokeObjectURL(url);
  }
}

function problemOf(error: unknown): string {
  if (error instanceof DOMException && error.name === "NotAllowedError") {
    return "The browser blocked the sound. Press again to play it.";
  }
  if (error instanceof DOMException) return "The sound cannot be played.";
  return error instanceof Error && !("status" in error)
    ? error.message
    : toApiFailure(error).message;
}
