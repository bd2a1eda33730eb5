// A redactor that learns: what becomes known as a secret later (a token another machine has made) is taken out
// from then on. Pieces that are already under way are finished as they were begun.
import { createRedactor, type Redactor, type Secret } from "./redact.ts";

export type LearningRedactor = { readonly redactor: Redactor; know(secret: Secret): void };

/** At least one of `first` must be long enough to be looked for. */
export function learningRedactor(first: readonly Secret[]): LearningRedactor {
  let known = first;
  const made = (): Redactor => {
    const redactor = createRedactor(known);
    if (!redactor) throw new Error("there is nothing to look for");
    return redactor;
  };
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
