// What the server asks of this machine's home: profiles with their memory and skills, and whoever fetches skills for
// it from elsewhere (in another process: this one holds the journal, D8). Other machines have homes of their own.
import { ProfileError, type ProfileErrorCode } from "../home/profile/error.ts";
import type { Profile } from "../home/profile.ts";
import type { Profiles } from "../home/profiles.ts";
import { ApiError, type ErrorCode } from "../events/errors.ts";

/** Features add whom they ask, each in a file of its own (`declare module`). */
export interface HomeAccess {
  readonly profiles: Profiles;
}

/** Throws where there is no home, or no such profile. */
export async function profileOf(home: HomeAccess | undefined, name: string): Promise<Profile> {
  if (!home) throw new ApiError("unavailable", "This server has no home with profiles.");
  return refusing(() => home.profiles.get(name));
}

const CODES: Record<ProfileErrorCode, ErrorCode> = {
  invalid_name: "invalid_request",
  unknown_profile: "not_found",
  unknown_skill: "not_found",
  exists: "conflict",
  changed: "conflict",
  broken: "invalid_request",
  not_found: "not_found",
  not_plain: "forbidden",
  outside: "invalid_request",
  not_text: "invalid_request",
  too_large: "too_large",
  busy: "conflict",
  full: "too_large",
  no_match: "conflict",
  ambiguous: "conflict",
  empty: "invalid_request",
  unreadable: "unavailable",
};

/** What is wrong with a file of the home, as an answer: `reason` in the details is exact. */
export async function refusing<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ProfileError)) throw error;
    throw new ApiError(CODES[error.code], error.short, { reason: error.code });
  }
}
