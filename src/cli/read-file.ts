// A file that somebody named, as a whole and bounded.
import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { UsageError } from "../config.ts";
import { MAX_IMPORT_BYTES } from "../kernel/events/share-policy.ts";

export function readFileWhole(name: string): Buffer {
  const path = resolve(name);
  try {
    const { size } = statSync(path);
    if (size > MAX_IMPORT_BYTES) {
      throw new UsageError(`${path} has more than ${MAX_IMPORT_BYTES >> 20} MB.`, 1);
    }
    return readFileSync(path);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const why = (error as NodeJS.ErrnoException).code ?? (error as Error).message;
    throw new UsageError(`${path} cannot be read (${why}).`, 1);
  }
}
