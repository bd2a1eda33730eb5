// A command line as permissions see it: every simple command in it (also those inside `sh -c` and
// `timeout`), the directory each runs in, and the files it may execute. Pure: which content the files
// have is added by whoever plans the call. A line of which this cannot be told says why.
import { relative } from "node:path";
import {
  basename,
  parseCommandLine,
  possibleWords,
  type Command,
  type CommandLine,
} from "./command/line.ts";
import { named, running, type Running } from "./programs.ts";
import { locate } from "../../workspace/listing/path-patterns.ts";
import type { Execute } from "../tools/tool.ts";

/** One simple command and where it runs. */
export type Part = {
  readonly command: Command;
  readonly directory: string; // absolute
  readonly running: Running;
};
export type Inspection = {
  readonly line: CommandLine;
  readonly parts: readonly Part[];
  /** Nothing but words throughout: only then can a pattern cover it. */
  readonly literal: boolean;
  /** Why nobody can tell what it runs; undefined: `parts` and `executes` are all of it. */
  readonly unknown: string | undefined;
  /** Files it may execute and an agent may change: relative to the workspace, absolute when outside. */
  readonly executes: readonly string[];
  /** Those of them that must be there: otherwise another file is executed. */
  readonly scripts: readonly string[];
  /** Whatever may be the name of a command in it. */
  readonly words: ReadonlySet<string>;
  /** Absolute paths that it may name. */
  readonly paths: readonly string[];
};
/** The only contents that a rule cannot be bound to (kernel/workspace/host/version.ts). */
export const OUTSIDE = "outside";

const MAX_FILES = 50; // what one look at files takes
const MAX_DEPTH = 4;

export function inspectCommand(
  { command: text, cwd = "." }: Pick<Execute, "command" | "cwd">,
  workspace: string,
): Inspection {
  const directory = locate(cwd, workspace).absolute;
  const line = parseCommandLine(text);
  const words = possibleWords(text);
  const found: Found = { parts: [], literal: true, redirects: false };
  const why = collect(line, directory, found, 0);
  const { parts, literal } = found;
  const directories = [...new Set([directory, ...parts.map((part) => part.directory)])];
  const paths = directories.flatMap((from) =>
    [...words].flatMap(named).map((word) => locate(word, from).absolute),
  );
  const files = parts.flatMap(({ running: what, directory: from }) => {
    if (what.kind !== "files") return [];
    return what.files.map((file) => ({
      path: shown(locate(file, from).absolute, workspace),
      isScript: file === what.script,
    }));
  });
  const unique = [...new Set(files.map(({ path }) => path))];
  const unknown = why ?? unbound(unique, found);
  return {
    line,
    parts,
    literal,
    unknown,
    executes: unknown === undefined ? unique : [],
    scripts: files.filter(({ isScript }) => isScript).map(({ path }) => path),
    words,
    paths: [...new Set([...directories, ...paths])],
  };
}

function shown(absolute: string, workspace: string): string {
  return locate(absolute, workspace).inside ? relative(workspace, absolute) || "." : absolute;
}

type Found = { readonly parts: Part[]; literal: boolean; redirects: boolean };

/** Why contents that are compared before it starts say nothing of what it executes. */
function unbound(
  files: readonly string[],
  { parts, redirects, literal }: Found,
): string | undefined {
  if (files.length > MAX_FILES) return "it names too many files";
  if (!literal && files.some((file) => /[*?[]/.test(file))) {
    return "the names of the files it executes are a pattern";
  }
  const writes = redirects || parts.some(({ running: { kind } }) => kind === "inert");
  if (files.length === 0 || parts.length === 1 || !writes) return undefined;
  return "one part of it may write what another part executes";
}

/** Adds what a line runs; answers why that cannot be told. */
function collect(line: CommandLine, from: string, found: Found, depth: number): string | undefined {
  if (line.kind === "opaque") {
    found.literal = false;
    return line.why;
  }
  found.literal &&= line.literal;
  found.redirects ||= line.redirects.length > 0;
  let directory = from;
  let moved = false;
  let why: string | undefined;
  for (const [index, command] of line.commands.entries()) {
    const before = line.operators[index - 1] ?? "";
    const after = line.operators[index] ?? "";
    if (moved && before !== "&&" && before !== "|") why ??= UNCLEAR;
    if (command[0] === "cd") {
      if (!isPlainMove(command) || !/^(&&)?$/.test(after) || !/^(&&)?$/.test(before))
        why ??= UNCLEAR;
      directory = locate(command[1] ?? ".", directory).absolute;
      moved = true;
      continue;
    }
    why = collectPart({ command, directory, running: running(command) }, found, depth) ?? why;
  }
  return why;
}

const UNCLEAR = "it changes its directory in a way that cannot be followed";

function isPlainMove(command: Command): boolean {
  return command.length === 2 && /^[^-]/.test(command[1] ?? "");
}

function collectPart(part: Part, found: Found, depth: number): string | undefined {
  found.parts.push(part);
  const { running: what, directory } = part;
  if (what.kind === "anything") return what.why;
  if (what.kind !== "line" && what.kind !== "commands") return undefined;
  if (depth >= MAX_DEPTH) return "it has commands inside commands";
  if (what.kind === "line")
    return collect(parseCommandLine(what.line), directory, found, depth + 1);
  for (const command of what.commands) {
    const why = collectPart({ command, directory, running: running(command) }, found, depth + 1);
    if (why !== undefined) return why;
  }
  return undefined;
}

/** The names under which a denial knows a command. */
export function deniedNames(command: Command): readonly Command[] {
  const [program = "", ...args] = command;
  // git-push is git push, and some file systems find rm as RM.
  const plain = [
    ...basename(program)
      .toLowerCase()
      .split(/(?<=^git)-/),
    ...args,
  ];
  const same = SAME_AS[`${plain[0]} ${plain[1]}`];
  return [command, plain, ...(same ? [[...same, ...plain.slice(2)]] : [])];
}

/** Other ways to the same effect that programs have themselves. */
const SAME_AS: Readonly<Record<string, Command>> = {
  "git send-pack": ["git", "push"],
  "git http-push": ["git", "push"],
  "git fetch-pack": ["git", "fetch"],
};
