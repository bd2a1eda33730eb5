// For tests only: a home that goes away.
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { ProfileError, type ProfileErrorCode } from "./profile/error.ts";

export async function temporaryHome() {
  const path = await mkdtemp(join(tmpdir(), "quarterdeck-home-"));
  const at = (...names: string[]) => join(path, "profiles", ...names);
  return {
    path,
    at,
    profile: (name: string) => ({ name, directory: at(name) }),
    has: (...names: string[]) => existsSync(at(...names)),
    async put(name: string, text: string | Uint8Array) {
      await mkdir(dirname(at(name)), { recursive: true });
      await writeFile(at(name), text);
    },
    [Symbol.asyncDispose]: async () => rm(path, { recursive: true, force: true }),
  };
}

export function refusedWith(code: ProfileErrorCode, about?: RegExp) {
  return (error: unknown) =>
    error instanceof ProfileError && error.code === code && (about?.test(error.message) ?? true);
}
