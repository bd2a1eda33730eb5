// Toolchains that people keep in their home directory (nvm, rustup, pyenv): without them no `npm test`
// would work in the sandbox. Programs and libraries only, never a whole directory of settings:
// credentials lie beside them.
import { existsSync } from "node:fs";
import { basename, delimiter, dirname, join, resolve } from "node:path";
import { isWithin } from "./sandbox.ts";

const BESIDE_BIN = ["lib", "libexec"];
const MANAGERS = [
  ".rustup/toolchains",
  ".rustup/settings.toml",
  ".pyenv/versions",
  ".pyenv/libexec",
  ".nvm/versions",
  ".volta/tools",
  ".asdf/installs",
  ".rbenv/versions",
  ".sdkman/candidates",
];

/** What lies in `home` and is on the search path, or is what a version manager's stub starts. */
export function toolchains(searchPath: string, home: string): string[] {
  const entries = searchPath
    .split(delimiter)
    .filter((entry) => entry !== "" && isWithin(resolve(entry), home) && resolve(entry) !== home);
  if (entries.length === 0) return [];
  const beside = entries
    .filter((entry) => basename(entry) === "bin")
    .flatMap((entry) => BESIDE_BIN.map((name) => join(dirname(entry), name)));
  const managed = MANAGERS.map((name) => join(home, name));
  return [...new Set([...entries, ...beside, ...managed])].filter((path) => existsSync(path));
}
