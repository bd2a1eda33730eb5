// What can be wrong with a profile's files. It names the file and says what a person can do, and it
// becomes a visible failure of the call or the run: never a silent default.
import { basename } from "node:path";

export type ProfileErrorCode =
  | "invalid_name"
  | "unknown_profile"
  | "unknown_skill"
  | "exists"
  | "changed" // since it was looked at
  | "broken" // not what its format demands
  | "not_found"
  | "not_plain" // a link, a pipe, a directory: something else than a file of its own
  | "outside" // a path that leads out of the profile
  | "not_text"
  | "too_large"
  | "busy"
  | "full"
  | "no_match"
  | "ambiguous"
  | "empty"
  | "unreadable";

export class ProfileError extends Error {
  override name = "ProfileError";
  readonly code: ProfileErrorCode;
  readonly file: string;
  readonly problem: string;

  constructor(code: ProfileErrorCode, file: string, problem: string) {
    super(`${file}: ${problem}`);
    this.code = code;
    this.file = file;
    this.problem = problem;
  }

  /** For a model: it has no use for where the home is. */
  get short(): string {
    return `${basename(this.file)}: ${this.problem}`;
  }
}

export function errnoOf(error: unknown): string {
  return (error as NodeJS.ErrnoException | undefined)?.code ?? "";
}
