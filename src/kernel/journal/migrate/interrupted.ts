// A journal without an epoch: the epoch is the last thing that a migration writes. Whoever opened it would see half
// of a journal, and would go on from there.
export class InterruptedMigrationError extends Error {
  override name = "InterruptedMigrationError";
}

export function interrupted(place: string): InterruptedMigrationError {
  return new InterruptedMigrationError(
    `The journal in ${place} is incomplete: a migration to it goes on or was interrupted. Run “quarterdeck migrate” again; it starts over.`,
  );
}
