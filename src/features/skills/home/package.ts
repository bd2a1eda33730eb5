// A skill that came from elsewhere, looked at before anything of it is written: what is in it, what of it could be
// run, and the hash by which it is trusted. Nothing here opens a file.
import { hash } from "node:crypto";
import { basename, extname } from "node:path";
import {
  isLeftOutOfSkill,
  SKILL_LIMITS,
  skillPathProblem,
} from "../../../kernel/events/skill-limits.ts";
import { parseFrontMatter } from "../../../kernel/home/front-matter.ts";
import { hasInvisible, plainLine } from "../../../kernel/home/plain-text.ts";
import { ProfileError } from "../../../kernel/home/profile/error.ts";
import { NAME } from "../../../kernel/home/profile/files.ts";
import { contentHash } from "./content.ts";
import { MAX_VIEW_BYTES } from "./skills.ts";

export type PackedFile = {
  readonly path: string;
  readonly data: Buffer;
  readonly executable: boolean;
};

export type Inspection = {
  readonly name: string | null; // null: its own is not one of ours, or it has none
  readonly description: string;
  readonly category: string | null;
  readonly hash: string;
  readonly bytes: number;
  readonly files: readonly {
    readonly path: string;
    readonly bytes: number;
    readonly script: boolean; // could be run by somebody who is told to
    readonly binary: boolean;
  }[];
  readonly warnings: readonly string[];
  readonly text: string; // of SKILL.md
};

const SCRIPTS =
  /^\.(sh|bash|zsh|fish|py|js|mjs|cjs|ts|rb|pl|php|lua|ps1|bat|cmd|exe|com|so|dll|jar|wasm)$/i;

/** Throws a ProfileError that says what is wrong with it. */
export function inspectSkill(given: readonly PackedFile[]): Inspection {
  const files = given.filter(({ path }) => !isLeftOutOfSkill(path));
  checkBounds(files);
  const main = files.find(({ path }) => path === "SKILL.md");
  if (!main) throw new ProfileError("broken", "SKILL.md", "there is no SKILL.md in it");
  const text = textOf(main);
  const { fields, body, problem } = parseFrontMatter(text);
  if (problem !== null) throw new ProfileError("broken", "SKILL.md", problem);
  if (body.trim() === "") throw new ProfileError("empty", "SKILL.md", "there is no text in it");
  const listed = files.map((file) => ({
    path: file.path,
    bytes: file.data.length,
    script: isScript(file),
    binary: file.data.subarray(0, 8_192).includes(0),
  }));
  const name = fields["name"] ?? "";
  return {
    name: NAME.test(name) ? name : null,
    description: plainLine(fields["description"] ?? "", 1_024),
    category: plainLine(fields["category"] ?? "", 64) || null,
    hash: contentHash(files.map(({ path, data }) => ({ path, sha256: hash("sha256", data) }))),
    bytes: files.reduce((sum, { data }) => sum + data.length, 0),
    files: listed.toSorted((a, b) => (a.path < b.path ? -1 : 1)),
    warnings: warningsOf(listed, { text, left: given.length - files.length }),
    text,
  };
}

function checkBounds(files: readonly PackedFile[]): void {
  const refuse = (code: "too_large" | "outside", file: string, problem: string): never => {
    throw new ProfileError(code, file.slice(0, 200), problem);
  };
  if (files.length > SKILL_LIMITS.files) {
    refuse("too_large", "skill", `it has more than ${SKILL_LIMITS.files} files`);
  }
  const names = new Set<string>();
  let bytes = 0;
  for (const { path, data } of files) {
    const problem = skillPathProblem(path);
    if (problem) refuse("outside", path, problem);
    if (data.length > SKILL_LIMITS.fileBytes) refuse("too_large", path, "it is too large");
    const folded = path.normalize("NFC").toLowerCase(); // one file where names are folded
    if (names.has(folded)) refuse("outside", path, "two files have that name");
    names.add(folded);
    bytes += data.length;
  }
  if (bytes > SKILL_LIMITS.bytes) {
    refuse("too_large", "skill", `it has more than ${SKILL_LIMITS.bytes} bytes`);
  }
}

function textOf({ data }: PackedFile): string {
  if (data.length > MAX_VIEW_BYTES) {
    throw new ProfileError("too_large", "SKILL.md", `it may have ${MAX_VIEW_BYTES} bytes`);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(data);
  } catch {
    throw new ProfileError("not_text", "SKILL.md", "it is not UTF-8 text");
  }
}

function isScript({ path, data, executable }: PackedFile): boolean {
  const name = basename(path);
  const begins = data.subarray(0, 4).toString("latin1");
  return (
    executable || SCRIPTS.test(extname(name)) || begins.startsWith("#!") || begins === "\x7fELF"
  );
}

function warningsOf(
  files: Inspection["files"],
  { text, left }: { text: string; left: number },
): string[] {
  const scripts = files.filter(({ script }) => script).length;
  const binary = files.filter((file) => file.binary).length;
  return [
    scripts > 0 && `${scripts} of its files could be run: read them. Nothing is run by installing.`,
    binary > 0 && `${binary} of its files are not text: nobody can read what they are.`,
    hasInvisible(text) && "SKILL.md has characters that nobody sees: a model reads them.",
    left > 0 && `${left} hidden files were left out.`,
  ].filter((warning) => typeof warning === "string");
}
