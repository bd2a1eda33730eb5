// The Chromium that comes with the tests, for machines that have none.
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rename, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Unpacked elsewhere and then renamed, because concurrent test files must not start a partial program. */
export async function bundledChromium(): Promise<string> {
  const main = createRequire(import.meta.url).resolve("@sparticuz/chromium");
  const about = await readFile(join(main, "../../package.json"), "utf8");
  const { version } = JSON.parse(about) as { version: string };
  const place = join(tmpdir(), `quarterdeck-chromium-${version}`);
  if (!existsSync(place)) await unpackInto(place);
  return join(place, "chromium");
}

async function unpackInto(place: string): Promise<void> {
  const aside = await mkdtemp(`${place}-`);
  const { env } = process;
  const before = env["TMPDIR"];
  env["TMPDIR"] = aside; // the library unpacks there
  try {
    const { default: library } = await import("@sparticuz/chromium");
    await library.executablePath();
  } finally {
    if (before === undefined) delete env["TMPDIR"];
    else env["TMPDIR"] = before;
  }
  await rename(aside, place).catch(() => rm(aside, { recursive: true, force: true })); // another process was first
}
