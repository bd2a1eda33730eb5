// Finds programs, and builds the environment of child processes. It is here because only the tool host's files read
// the environment.
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { allowedEnvironment } from "../environment.ts";

export function childEnvironment(): Record<string, string> {
  return allowedEnvironment(process.env);
}

/** Where the person's shell and this program look for programs: whoever writes there is executed by both. */
export function programFolders(): string[] {
  return (childEnvironment()["PATH"] ?? "").split(delimiter).filter((one) => isAbsolute(one));
}

/** The first of them that can be run: names are looked for on the PATH, paths as they are. */
export function findProgram(names: readonly string[]): string | undefined {
  const directories = (process.env["PATH"] ?? "").split(delimiter).filter((one) => one !== "");
  for (const name of names) {
    const places = name.includes("/") ? [name] : directories.map((each) => join(each, name));
    const found = places.find(canRun);
    if (found !== undefined) return found;
  }
  return undefined;
}

function canRun(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
