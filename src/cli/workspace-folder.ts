// The folder tools work in when nobody chose one: made by whoever starts a server or a runner.
import { mkdirSync } from "node:fs";
import type { Config } from "../config.ts";

export function ensureWorkspace({ workspace, sourceOf }: Config): void {
  if (sourceOf("workspace") === "default") mkdirSync(workspace, { recursive: true });
}
