// Writes a profile's files into a home, the way a person would.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestHome } from "./program.ts";

export function writeProfile(
  { home }: TestHome,
  name: string,
  { settings = {}, prompt, memory }: { settings?: object; prompt?: string; memory?: string } = {},
): string {
  const folder = join(home, "profiles", name);
  mkdirSync(join(folder, "memory"), { recursive: true, mode: 0o700 });
  writeFileSync(join(folder, "profile.json"), JSON.stringify(settings), { mode: 0o600 });
  if (prompt !== undefined) writeFileSync(join(folder, "prompt.md"), prompt, { mode: 0o600 });
  if (memory !== undefined) {
    writeFileSync(join(folder, "memory", "MEMORY.md"), memory, { mode: 0o600 });
  }
  return folder;
}
