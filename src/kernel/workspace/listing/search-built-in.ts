// Searches without ripgrep, whose binary is an optional package (ADR 40): slower, without .gitignore, with
// JavaScript's regular expressions. A pattern that takes too long is stopped, because it would block the whole
// process.
import { open } from "node:fs/promises";
import { constants } from "node:fs";
import { matchesGlob } from "node:path";
import { createContext, Script } from "node:vm";
import type { Folder } from "../files/paths.ts";
import { eachLine } from "../files/pick-lines.ts";
import type { Hits, Query } from "./ripgrep.ts";
import type { ToolCall } from "../host/tool-call.ts";
import { errnoOf, ToolError } from "../host/tool-error.ts";
import { SKIPPED, walk } from "./walk.ts";

const MAX_LINE = 16_384;
const MAX_BYTES = 64n << 20n;
const BATCH = 512;
const PATIENCE_MS = 1_000;

type Line = { text: string; line: number };
type Matcher = (lines: readonly Line[]) => number[];

export async function searchBuiltIn(folder: Folder, query: Query, call: ToolCall): Promise<Hits> {
  const matcher = matcherOf(query);
  const places = new Map<string, number[]>();
  let truncated = false;
  let room = query.max;
  const options = {
    workspace: call.workspace,
    signal: call.signal,
    skip: (name: string) => SKIPPED.has(name),
    onCut: () => void (truncated = true),
  };
  for await (const { path, name, stats, address } of walk(folder, options)) {
    if (!stats.isFile() || stats.size > MAX_BYTES || !matchesFile(query.glob, path, name)) continue;
    if (query.isLeftOut(path)) continue;
    const lines = await linesIn(address, matcher, { max: room + 1, signal: call.signal });
    if (lines.length > 0 && room > 0) places.set(path, lines.slice(0, room));
    if (lines.length > room) return { places, truncated: true };
    room -= lines.length;
  }
  return { places, truncated };
}

export function matchesFile(glob: string | undefined, path: string, name: string): boolean {
  if (glob === undefined) return true;
  if (glob.startsWith("!")) return !matchesFile(glob.slice(1), path, name);
  return matchesGlob(glob.includes("/") ? path : name, glob.replace(/^\//, ""));
}

async function linesIn(
  address: string,
  matcher: Matcher,
  { max, signal }: { max: number; signal: AbortSignal },
): Promise<number[]> {
  const found: number[] = [];
  let batch: Line[] = [];
  const test = () => {
    found.push(...matcher(batch));
    batch = [];
  };
  try {
    const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
    await using handle = await open(address, flags);
    if (!(await handle.stat()).isFile()) return [];
    await eachLine(handle, { maxBytes: MAX_LINE, signal }, (text, line) => {
      if (text.includes("\0")) return false; // no text file
      batch.push({ text, line });
      if (batch.length >= BATCH) test();
      return found.length < max;
    });
    test();
  } catch (error) {
    if (error instanceof ToolError || errnoOf(error) === undefined) throw error;
    return []; // gone, or not ours to read
  }
  return found.slice(0, max);
}

function matcherOf({ pattern, literal, ignoreCase }: Query): Matcher {
  const source = literal ? pattern.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&") : pattern;
  const expression = compiled(source, ignoreCase);
  const context = createContext({ expression, lines: [] as readonly Line[] });
  const script = new Script(
    "lines.filter(({text}) => expression.test(text)).map(({line}) => line)",
  );
  return (lines) => {
    context["lines"] = lines;
    try {
      return [...(script.runInContext(context, { timeout: PATIENCE_MS }) as number[])];
    } catch (error) {
      // Made in the other context: no instance of our Error.
      if ((error as { code?: unknown }).code !== "ERR_SCRIPT_EXECUTION_TIMEOUT") throw error;
      throw new ToolError("invalid_request", "This pattern takes too long. Use a simpler one.");
    }
  };
}

function compiled(source: string, ignoreCase: boolean): RegExp {
  try {
    return new RegExp(source, ignoreCase ? "iu" : "u");
  } catch (error) {
    throw new ToolError("invalid_request", (error as Error).message);
  }
}
