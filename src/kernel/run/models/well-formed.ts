// Makes streamed text well-formed Unicode, so that no lone surrogate reaches the journal.
// A pair that a provider splits between two deltas is put together again, not replaced.

export type WellFormedText = { push(delta: string): string; end(): string };

export function createWellFormedText(): WellFormedText {
  let held = "";
  return {
    push(delta) {
      const text = held + delta;
      held = endsInHighSurrogate(text) ? text.slice(-1) : "";
      return text.slice(0, text.length - held.length).toWellFormed();
    },
    end() {
      const rest = held.toWellFormed();
      held = "";
      return rest;
    },
  };
}

function endsInHighSurrogate(text: string): boolean {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff;
}
