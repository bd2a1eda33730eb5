// A redactor that learns: what becomes known as a secret later (a token another machine has made) is taken out
// from then on. Pieces that are already under way are finished as they were begun.
import { createRedactor, type Redactor, type Secret } from "./redact.ts";

export type LearningRedactor = { readonly redactor: Redactor; know(secret: Secret): void };

/** For as long as nothing is known, or only what is too short to be looked for. */
const NOTHING_KNOWN: Redactor = {
  text: (text) => text,
  stream: () => ({ push: (piece) => piece, end: () => "" }),
  bytes: () => ({ push: (piece) => piece, end: () => Buffer.alloc(0) }),
  longest: { lines: 0, bytes: 0 },
};

export function learningRedactor(first: readonly Secret[]): LearningRedactor {
  let known = first;
  const made = () => createRedactor(known) ?? NOTHING_KNOWN;
  let current = made();
  return {
    redactor: {
      text: (text) => current.text(text),
      stream: () => current.stream(),
      bytes: () => current.bytes(),
      get longest() {
        return current.longest;
      },
    },
    know(secret) {
      if (known.some(({ value }) => value === secret.value)) return;
      known = [...known, secret];
      current = made();
    },
  };
}
