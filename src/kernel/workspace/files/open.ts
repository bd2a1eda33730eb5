// Starts a program the runner will talk to over its standard input and output. No shell reads its
// arguments, and its own variables come in the frame: they are never on a command line.
import { plainText, record } from "../host/call-input.ts";
import { isRecord, type ToolResult } from "../host/frames.ts";
import type { ToolCall } from "../host/tool-call.ts";
import { ToolError } from "../host/tool-error.ts";
import { workingDirectory } from "./working-directory.ts";

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

export async function open(input: unknown, call: ToolCall): Promise<ToolResult> {
  const fields = record(input);
  const argv = [plainText(fields, "command"), ...words(fields["args"])];
  const env = variables(fields["env"]);
  const pipeId = plainText(fields, "pipe_id");
  const cwd = await workingDirectory(fields, call);
  call.begin();
  const spec = { argv, cwd, env, stdin: "pipe", pipeId, shown: argv.join(" ") } as const;
  await call.processes.start(spec, call);
  return { ok: true };
}

function words(value: unknown): string[] {
  const plain = (word: unknown): word is string => typeof word === "string" && !word.includes("\0");
  if (value === undefined) return [];
  if (Array.isArray(value) && value.every(plain)) return value;
  throw new ToolError("invalid_request", "args must be strings");
}

function variables(value: unknown): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, text] of Object.entries(isRecord(value) ? value : {})) {
    if (!NAME.test(name) || typeof text !== "string" || text.includes("\0")) {
      throw new ToolError("invalid_request", `${name} cannot be an environment variable`);
    }
    env[name] = text;
  }
  return env;
}
