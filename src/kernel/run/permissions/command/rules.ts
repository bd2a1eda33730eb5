// How a rule meets a command. An exact rule covers one command line in one directory, with the files
// it executes as they were; a pattern covers what begins like it, if every option is known to be
// harmless and every path stays in the workspace. Rules that forbid match whatever may be meant.
import type { Rule, WiderRule } from "../../../events/catalogue/permissions.ts";
import { canonical } from "../../../journal/admit/plan-hash.ts";
import { basename, possibleWords, type Command } from "./line.ts";
import { looksOnlyAtOperands, makesOrdinaryFiles, staysInside } from "./paths.ts";
import { deniedNames, OUTSIDE, type Part } from "../inspect-command.ts";
import type { Context, Execution } from "../permissions.ts";
import { isGitsOwn } from "../program-wrappers.ts";
import { keyLength } from "../programs.ts";
import { locate, pathCovered, pathRestricted } from "../../../workspace/listing/path-patterns.ts";

// What a plan says of a file that has no content to be bound to (kernel/workspace/host/version.ts).
const ABSENT = "absent";
const FOLDER = "folder";

export function restrictsCommand(rule: Rule, access: Execution, { workspace }: Context): boolean {
  const { path, host, schema, command, argv, cwd } = rule;
  if (host !== undefined || schema !== undefined) return false;
  if (rule.network === true && !access.network) return false;
  if (rule.protected === true && access.protected !== true) return false;
  const elsewhere =
    cwd !== undefined &&
    !access.parts.some(({ directory }) => pathRestricted({ pattern: cwd, workspace }, directory));
  if (elsewhere && access.unknown === undefined) return false;
  if (path !== undefined && !names(access, path, workspace)) return false;
  if (command !== undefined && command !== access.command) return false;
  return argv === undefined || mayRun(access, argv);
}

/** Whether a word of it is the path, or something below it. */
function names({ paths }: Execution, pattern: string, workspace: string): boolean {
  return paths.some((path) => pathRestricted({ pattern, workspace }, path));
}

function mayRun({ parts, unknown, words }: Execution, argv: readonly string[]): boolean {
  if (unknown !== undefined && words.has(basename(argv[0] ?? ""))) return true;
  return parts.some(({ command }) =>
    deniedNames(command).some((spelled) => beginsLike(spelled, argv)),
  );
}

/** As beginsWith, past options and what may be their values: `git --no-pager push` is a push. */
function beginsLike(command: Command, argv: readonly string[]): boolean {
  let places = new Set([0]); // after what is matched so far
  for (const wanted of argv) {
    const next = new Set<number>();
    for (let at = 0; at < command.length; at += 1) {
      if (!places.has(at)) continue;
      if (command[at] === wanted) next.add(at + 1);
      if (at > 0 && command[at]?.startsWith("-")) places.add(at + 1).add(at + 2);
    }
    places = next;
  }
  return places.size > 0;
}

/** Whether it runs a script, an alias, or is a program that is not known and is given the name of a denied one. */
function mayPassOn({ command, running }: Part, denied: readonly Command[]): boolean {
  const [program = "", ...args] = command;
  if (basename(program) === "git" && !isGitsOwn(args)) return denied.length > 0;
  if (running.kind !== "files") return false;
  const given = possibleWords(command.slice(1).join(" "));
  return running.script !== undefined || denied.some(([name = ""]) => given.has(basename(name)));
}

/** Why a command is asked about although it names nothing that is forbidden: it may hide that. */
export function doubtAbout(
  access: Execution,
  rules: readonly Rule[],
  { hidden, workspace }: Context,
): string | undefined {
  const denials = rules.filter(({ effect }) => effect === "deny");
  const { unknown, executes, files = {}, literal, parts } = access;
  const commands = denials.flatMap(({ argv }) => (argv === undefined ? [] : [argv]));
  const runsFile = executes.some((file) => contentAt(files, file) !== ABSENT);
  const hides = runsFile || parts.some((part) => mayPassOn(part, commands));
  if (commands.length > 0 && (unknown !== undefined || hides)) {
    const why = unknown ?? "it may run a file that an agent has written, or what it is given";
    return `Rules forbid some commands, and what this one runs cannot be told: ${why}.`;
  }
  const paths = denials.flatMap(({ path }) => (path === undefined ? [] : [path]));
  if (hidden || paths.length === 0) return undefined;
  const seen = literal && parts.every((part) => looksOnlyAtOperands(part, workspace));
  if (seen && unknown === undefined) return undefined;
  return `Rules forbid some files (${paths.join(", ")}), and without a sandbox this command might reach them.`;
}

/** One of the rules that together cover all of a command. */
export function coversCommand(
  rules: readonly Rule[],
  access: Execution,
  { workspace }: Context,
): Rule | undefined {
  const able = rules.filter(
    (rule) =>
      (!access.network || rule.network === true) &&
      (access.protected !== true || rule.protected === true),
  );
  const blanket = able.find(({ argv, command }) => argv === undefined && command === undefined);
  if (blanket) return blanket;
  const exact = able.find((rule) => coversExactly(rule, access, workspace));
  if (exact) return exact;
  if (access.unknown !== undefined || !access.literal) return undefined;
  const own = access.parts.filter(
    ({ running: { kind } }) => kind !== "commands" && kind !== "line",
  );
  const by = own.map((part) =>
    able.find((rule) => rule.argv !== undefined && coversPart(rule, part, access, workspace)),
  );
  return by.every((rule) => rule !== undefined) ? by[0] : undefined;
}

function coversExactly(rule: Rule, access: Execution, workspace: string): boolean {
  const { command, cwd = "." } = access;
  return (
    rule.command === command &&
    access.unknown === undefined &&
    inDirectory(rule, locate(cwd, workspace).absolute, workspace) &&
    access.executes.every((file) => contentAt(access.files, file) !== undefined) &&
    isThere(access) &&
    canonical(rule.files ?? {}) === canonical(access.files ?? {})
  );
}

/** A file may be called `valueOf`, which every object has. */
function contentAt(files: Execution["files"] = {}, file: string): string | undefined {
  return Object.hasOwn(files, file) ? files[file] : undefined;
}

/** Whether the scripts it names are what it runs: in place of one that is not there a program may find another. */
function isThere({ scripts, files = {} }: Execution): boolean {
  return scripts.every((file) => contentAt(files, file) !== ABSENT);
}

/** A rule that names no directory is about the workspace itself. */
function inDirectory({ cwd = "." }: Rule, directory: string, workspace: string): boolean {
  return locate(directory, workspace).inside && pathCovered({ pattern: cwd, workspace }, directory);
}

function coversPart(rule: Rule, part: Part, access: Execution, workspace: string): boolean {
  const { argv = [], files } = rule;
  const { command, directory, running } = part;
  if (files !== undefined || !inDirectory(rule, directory, workspace)) return false;
  if (!argv.every((word, index) => word === command[index])) return false;
  const kind = running.kind;
  if (kind === "plain" || kind === "project") {
    const given = [".", ...command.slice(argv.length)];
    return (
      given.every((word) => staysInside(word, directory, workspace)) &&
      makesOrdinaryFiles(part, workspace)
    );
  }
  if (argv.length !== command.length) return false; // unknown options and programs: nothing after it
  if (kind === "inert") return true;
  if (kind !== "files" || running.script !== undefined) return false;
  return access.executes.every((file) => contentAt(access.files, file) === ABSENT);
}

/** The rule that covers this command and nothing else; undefined: nobody can tell what it would run. */
export function exactRule(
  access: Execution,
  { workspace }: Context,
): Omit<Rule, "effect" | "tool"> | undefined {
  const { command, cwd = ".", network, unknown, executes, files = {} } = access;
  if (unknown !== undefined || !isThere(access)) return undefined;
  const contents = executes.map((file) => contentAt(files, file));
  if (contents.some((it) => it === undefined || it === FOLDER || it === OUTSIDE)) return undefined;
  return {
    command,
    ...where(cwd, workspace),
    ...rights(access, network),
    ...bound(executes, files),
  };
}

function bound(executes: readonly string[], files: Readonly<Record<string, string>>) {
  return executes.length === 0 ? {} : { files: { ...files } };
}

function rights(access: Execution, network: boolean) {
  return { ...(network && { network }), ...(access.protected === true && { protected: true }) };
}

function where(cwd: string, workspace: string): { cwd?: string } {
  const { absolute } = locate(cwd, workspace);
  const root = locate(".", workspace).absolute;
  if (absolute === root) return {};
  return { cwd: absolute.startsWith(`${root}/`) ? absolute.slice(root.length + 1) : absolute };
}

/** The pattern a person may choose instead of the exact command, and what else it would allow. */
export function patternFor(access: Execution, { tool, workspace }: Context): WiderRule | undefined {
  const [part, ...more] = access.parts;
  if (!part || more.length > 0 || !access.literal) return undefined;
  const { command, running, directory } = part;
  if (running.kind !== "plain" && running.kind !== "project") return undefined;
  const options = command.findIndex((word, index) => index > 0 && word.startsWith("-"));
  const operands = options < 0 ? command : command.slice(0, options);
  const argv = running.kind === "plain" ? command.slice(0, keyLength(command)) : [...operands];
  const place = where(directory, workspace);
  const folder = place.cwd === undefined ? "the workspace" : `“${place.cwd}”`;
  const shown = argv.join(" ");
  return {
    rule: { effect: "allow", tool: tool.name, argv, ...place, ...rights(access, access.network) },
    also:
      running.kind === "plain"
        ? `Every “${shown} …” in ${folder} with options that only read, on files in the workspace.`
        : `Every “${shown} …” in ${folder}. It runs whatever the project's own files say, also after they change.`,
  };
}
