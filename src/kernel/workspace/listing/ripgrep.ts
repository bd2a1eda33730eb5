// Runs ripgrep for paths and line numbers only. The text is read on handles afterwards, so what ripgrep was led to
// read elsewhere never gets out.
import { spawn } from "node:child_process";
import { join, relative } from "node:path";
import { allowedEnvironment } from "../sandbox/environment.ts";
import { createLineSplitter } from "../host/frame-lines.ts";
import type { Folder } from "../files/paths.ts";
import type { ToolCall } from "../host/tool-call.ts";
import { ToolError } from "../host/tool-error.ts";
import { SKIPPED } from "./walk.ts";

const LINE_LIMIT = 16_384; // a path and a number
const NO_MATCH = 1;
const ERRORS = 4_096;

export type Query = {
  readonly pattern: string;
  readonly literal: boolean;
  readonly ignoreCase: boolean;
  readonly glob: string | undefined;
  readonly max: number;
  /** Of a path below the folder. */
  readonly isLeftOut: (path: string) => boolean;
};
export type Hits = { readonly places: ReadonlyMap<string, number[]>; readonly truncated: boolean };

/** Undefined: there is no such program here. */
export async function ripgrep(
  binary: string,
  { folder, root, query }: { folder: Folder; root: string; query: Query },
  call: ToolCall,
): Promise<Hits | undefined> {
  call.begin();
  const child = spawn(binary, argumentsOf(query, guarded(folder, root, call)), {
    cwd: folder.address,
    detached: true,
    env: { ...allowedEnvironment(process.env), ...call.marks },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const exit = new Promise<number | null | "failed">((resolve) => {
    child.once("exit", (code) => resolve(code));
    child.once("error", () => resolve("failed"));
  });
  const group = child.pid;
  if (group === undefined) return (await exit, undefined);
  call.groups.add(group);
  const stop = () => call.groups.signal(group, "SIGKILL");
  call.signal.addEventListener("abort", stop, { once: true });
  let complaint = "";
  child.stderr.on("data", (chunk: Buffer) => {
    if (complaint.length < ERRORS) complaint += chunk.toString();
  });
  try {
    const hits = await collect(child.stdout as AsyncIterable<Buffer>, query);
    if (hits.truncated) stop();
    const code = await exit;
    if (call.signal.aborted) throw new ToolError("aborted", "The search was aborted");
    // Some unreadable file makes it 2 as well; then there is nothing wrong with the pattern.
    if (code === 2 && hits.places.size === 0 && /regex|glob/i.test(complaint)) {
      throw new ToolError("invalid_request", complaint.slice(0, 500));
    }
    if (code !== 0 && code !== NO_MATCH && code !== 2 && !hits.truncated) return undefined;
    return hits;
  } finally {
    stop();
    call.groups.remove(group);
    call.signal.removeEventListener("abort", stop);
  }
}

function argumentsOf({ pattern, literal, ignoreCase, glob, max }: Query, hide: string[]): string[] {
  const excluded = [
    ...[...SKIPPED].map((name) => `!**/${name}`),
    ...hide.map((path) => `!/${path}`),
  ];
  return [
    "--no-config",
    "--no-messages",
    "--color=never",
    "--no-heading",
    "--with-filename",
    "--line-number",
    "--null",
    "--max-columns=1", // the text is not taken from here
    "--max-filesize=64M", // a line is held in memory
    "--encoding=none",
    "--no-ignore-global",
    "--no-follow",
    "--hidden",
    "--sort=path",
    `--max-count=${max + 1}`,
    ...(literal ? ["--fixed-strings"] : []),
    ...(ignoreCase ? ["--ignore-case"] : []),
    ...(glob === undefined ? [] : [`--glob=${glob}`]),
    ...excluded.map((name) => `--glob=${name}`),
    `--regexp=${pattern}`,
    "--",
    ".",
  ];
}

/** Protected directories below the folder, as globs: ripgrep must not even read there. */
function guarded(folder: Folder, root: string, { workspace }: ToolCall): string[] {
  return workspace.protect.flatMap(({ path }) => {
    if (path === undefined) return [];
    const inside = relative(join(root, folder.path), path);
    return inside === "" || inside.startsWith("..")
      ? []
      : [inside.replaceAll(/[*?[\]{}\\!]/g, "\\$&")];
  });
}

async function collect(output: AsyncIterable<Buffer>, { max, isLeftOut }: Query): Promise<Hits> {
  const places = new Map<string, number[]>();
  const split = createLineSplitter(LINE_LIMIT);
  let found = 0;
  for await (const chunk of output) {
    for (const { text } of split(chunk)) {
      const match = /^(?:\.\/)?([^\0]+)\0(\d+):/s.exec(text);
      if (!match?.[1] || isLeftOut(match[1])) continue;
      if (found >= max) return { places, truncated: true };
      found += 1;
      places.set(match[1], [...(places.get(match[1]) ?? []), Number(match[2])]);
    }
  }
  return { places, truncated: false };
}
