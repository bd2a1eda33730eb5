// Translates faults of the disk, the file system and the machine into sentences that say what to do. SQLite reports no
// errno, so its codes are translated. Undefined for an error of anything else.
import { closeSync, fsyncSync, openSync, rmSync, statSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { codeOf } from "./journal-file.ts";

/** The journal's file, or something beside it, cannot be used now. Nothing was changed. */
export class JournalOpenError extends Error {
  override name = "JournalOpenError";
}

const FULL = "the disk is full: free some space";
const DENIED = "it may not be read or written by this user: look at its owner and mode";
const READ_ONLY = "its file system is read-only: mount it for writing";
const TOO_MANY = "too many files are open: raise the limit (ulimit -n)";
const NO_MEMORY = "there is not enough memory";
const FAILING = "the disk reports an error: look at it, then try again";

const BY_ERRNO: Readonly<Record<string, string>> = {
  ENOSPC: FULL,
  EDQUOT: FULL,
  EACCES: DENIED,
  EPERM: DENIED,
  EROFS: READ_ONLY,
  EMFILE: TOO_MANY,
  ENFILE: TOO_MANY,
  ENOMEM: NO_MEMORY,
  EIO: FAILING,
  EISDIR: "it is a folder, not a file: move it away",
  ENOTDIR: "it should be a folder: move the file away",
};
/** By SQLite's primary result codes. */
const BY_CODE: Readonly<Record<number, string>> = {
  3: DENIED,
  5: "another program holds it: end that one",
  7: NO_MEMORY,
  8: READ_ONLY,
  10: FAILING,
  13: FULL,
  14: "it cannot be opened: look at its mode, the space on the disk and the limit of open files (ulimit -n)",
};

/** The reason and what to do; undefined if the error is not one of the storage. */
export function storageFault(error: unknown): string | undefined {
  const { code } = error as NodeJS.ErrnoException;
  return BY_CODE[codeOf(error)] ?? (code === undefined ? undefined : BY_ERRNO[code]);
}

/** The error to throw instead: for a storage error, a sentence that names the file. */
export function openError(journal: string, error: unknown): unknown {
  const { path = journal, name } = error as NodeJS.ErrnoException;
  if (name === "FatalJournalError" || name === "JournalOpenError") return error;
  const isFolder = statSync(journal, { throwIfNoEntry: false })?.isDirectory() === true;
  const why = isFolder ? BY_ERRNO["EISDIR"] : storageFault(error);
  if (why === undefined) return error;
  const what = `${isFolder ? journal : path} cannot be used, ${why}. Or choose another --home.`;
  return new JournalOpenError(what, { cause: error });
}

/** Whether a full disk failed a write or sync: SQLite does not say, so a write beside the journal is tried. */
export function isDiskFull(journal: string): boolean {
  const probe = join(dirname(journal), `.room-${process.pid}`);
  try {
    const file = openSync(probe, "w", 0o600);
    try {
      writeSync(file, Buffer.alloc(4_096, 1));
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    return false;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "ENOSPC" || code === "EDQUOT";
  } finally {
    rmSync(probe, { force: true });
  }
}
