// Detects a journal without an epoch: a migration writes the epoch last. A process that opened it would see half of a
// journal, and would continue from there.
export class InterruptedMigrationError extends Error {
  override name = "InterruptedMigrationError";
}

export function interrupted(place: string): InterruptedMigrationError {
  return new InterruptedMigrationError(
    `The journal in ${place} is incomplete: a migration to it goes on or was interrupted. Run “quarterdeck migrate” again; it starts over.`,
  );
}
