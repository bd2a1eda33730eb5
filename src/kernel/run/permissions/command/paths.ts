// Which files the words of a command open. A word may be a link, and a program may open more than its words.
import { relative, resolve } from "node:path";
import { basename } from "./line.ts";
import type { Part } from "../inspect-command.ts";
import { leadsTo } from "../leads-to.ts";
import { named } from "../programs.ts";
import { protectedReason } from "../protected-files.ts";
import { locate } from "../../../workspace/listing/path-patterns.ts";

/** Programs that look into the files they are given, and at nothing else. */
const OPERANDS_ONLY = new Set(
  (
    "cat head tail wc file stat md5sum sha1sum sha256sum cmp sort uniq cut tr nl echo printf pwd true " +
    "false date which basename dirname mkdir touch sleep seq whoami id uname hostname nproc"
  ).split(" "),
);

/** With options that name no list of further files, and operands that are what they are called. */
export function looksOnlyAtOperands(
  { command, directory, running }: Part,
  workspace: string,
): boolean {
  const [name = "", ...args] = command;
  if (!OPERANDS_ONLY.has(name) || running.kind !== "plain") return false;
  const root = leadsTo(workspace) ?? workspace;
  return args.flatMap(named).every((word) => {
    const { absolute, inside } = locate(locate(word, directory).absolute, workspace);
    const spelled = inside ? resolve(root, relative(resolve(workspace), absolute)) : absolute;
    return leadsTo(opened(word, directory)) === spelled;
  });
}

/** As a program opens it: `..` is the folder above wherever a link has led. */
function opened(word: string, directory: string): string {
  return word.startsWith("/") ? word : `${directory}/${word}`;
}

/** As file tools do without a question: nothing protected, nor the two folders that every repository has. */
export function makesOrdinaryFiles({ command, directory }: Part, workspace: string): boolean {
  const [program = "", ...args] = command;
  if (!/^(mkdir|touch)$/.test(basename(program))) return true;
  const paths = args.flatMap(named).map((word) => locate(word, directory).absolute);
  return paths.every(
    (path) =>
      protectedReason(path, workspace) === undefined &&
      !/(^|\/)(objects|refs)(\/|$)/.test(relative(workspace, path)),
  );
}

export function staysInside(word: string, directory: string, workspace: string): boolean {
  const root = leadsTo(workspace) ?? workspace;
  return named(word).every((part) => {
    const { absolute } = locate(part, directory);
    const led = leadsTo(opened(part, directory));
    const leaves = led === undefined || !locate(led, root).inside;
    return !part.startsWith("~") && locate(absolute, workspace).inside && !leaves;
  });
}
