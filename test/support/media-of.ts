// The real speech service for an endpoint of a test, without a program.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { mediaService } from "../../src/features/voice/cli.ts";
import { readConfig, type Environment } from "../../src/config.ts";
import type { MediaService } from "../../src/features/voice/server/media.ts";

export function mediaOf(settings: object, env: Environment = {}): MediaService {
  const home = mkdtempSync(join(tmpdir(), "qd-media-"));
  const workspace = mkdtempSync(join(tmpdir(), "qd-work-"));
  try {
    writeFileSync(join(home, "config.json"), JSON.stringify(settings));
    return mediaService(readConfig(["--home", home, "--workspace", workspace], env).config);
  } finally {
    for (const folder of [home, workspace]) rmSync(folder, { recursive: true });
  }
}
