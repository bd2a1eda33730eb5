// A redactor that learns: a secret that becomes known later (a token that another machine created) is redacted from then
// on. Streams that have already begun are finished with the secrets known at their start.
import { createRedactor, type Redactor, type Secret } from "./redact.ts";

export type LearningRedactor = { readonly redactor: Redactor; know(secret: Secret): void };

/** Used while no secret is known, or only ones that are too short. */
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
