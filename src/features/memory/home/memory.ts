// What a profile remembers: two small Markdown files, one bullet per entry. People edit them as they
// like; lines that are not bullets are theirs, shown to the model and never changed by it.
import { hash } from "node:crypto";
import { join } from "node:path";
import type { Profile } from "../../../kernel/home/profile.ts";
import { ProfileError } from "../../../kernel/home/profile/error.ts";
import { profileFolder, readText, subfolder } from "../../../kernel/home/profile/files.ts";
import { bounded, plain } from "../../../kernel/home/plain-text.ts";
import { changeFile } from "../../../kernel/home/replace-file.ts";

export const MEMORY_TARGETS = ["memory", "user"] as const;
export type MemoryTarget = (typeof MEMORY_TARGETS)[number];

const FILES: Record<MemoryTarget, string> = { memory: "MEMORY.md", user: "USER.md" };
export const MEMORY_LIMITS: Record<MemoryTarget, number> = { memory: 2_200, user: 1_375 };
const MAX_FILE_BYTES = 65_536; // a person may write more than the limit; a model then may not

export type MemoryUsage = {
  readonly chars: number;
  readonly limit: number;
  readonly percent: number;
  readonly entries: number;
};
export type MemoryView = {
  readonly entries: readonly string[];
  readonly usage: MemoryUsage;
  readonly hash: string;
};
/** `was`: the whole entry that went, or was replaced. */
export type MemoryChange = MemoryUsage & { readonly changed: boolean; readonly was?: string };
/** Hashes of the whole text; empty for none. */
export type MemoryEdit = { readonly before: string; readonly after: string };
/** Told of every change while nobody else can change the file, and of texts that were only looked at. */
export type MemoryWitness = (target: MemoryTarget, edit: MemoryEdit) => Promise<void>;
export type OldEntry = {
  readonly old: string;
  /** `old` is the whole entry and not part of it: one that was changed meanwhile is another. */
  readonly whole?: boolean | undefined;
};

/** Everything throws a ProfileError that says what to do. */
export type MemoryStore = {
  list(target: MemoryTarget): Promise<MemoryView>;
  /** Whether there is exactly this entry. */
  has(target: MemoryTarget, text: string): Promise<boolean>;
  /** An entry that is there already stays as it is: adding it again changes nothing. */
  add(target: MemoryTarget, text: string): Promise<MemoryChange>;
  /** `old`: part of exactly one entry, which as a whole becomes `text`. */
  replace(target: MemoryTarget, change: OldEntry & { text: string }): Promise<MemoryChange>;
  remove(target: MemoryTarget, entry: OldEntry): Promise<MemoryChange>;
  /** The files as a model reads them, bounded. */
  read(target: MemoryTarget): Promise<{ text: string; usage: MemoryUsage; hash: string }>;
  /** Shows the witness what is there, while nobody else can change it. */
  look(target: MemoryTarget): Promise<void>;
};

export function openMemory(
  { directory }: Pick<Profile, "directory">,
  witness: MemoryWitness = async () => {},
): MemoryStore {
  const folder = subfolder(profileFolder(directory), "memory");
  const load = async (target: MemoryTarget) =>
    (await readText(folder, FILES[target], MAX_FILE_BYTES)) ?? "";

  const change = async (target: MemoryTarget, edit: Edit): Promise<MemoryChange> => {
    const place = { folder, name: FILES[target], limit: MAX_FILE_BYTES };
    const { result } = await changeFile(
      place,
      (text = "") => edited({ target, text, file: join(folder.path, FILES[target]) }, edit),
      ({ before, after }) => witness(target, { before, after }),
    );
    return result;
  };
  const only = (target: MemoryTarget, blocks: readonly Block[], entry: OldEntry) =>
    theOnly(blocks, entry, join(folder.path, FILES[target]));

  return {
    list: async (target) => {
      const text = await load(target);
      return { entries: entriesIn(parse(text)), usage: usage(target, text), hash: hashOf(text) };
    },
    has: async (target, text) => entriesIn(parse(await load(target))).includes(entryOf(text)),
    add: async (target, text) => {
      const entry = entryOf(text);
      return change(target, (blocks) =>
        entriesIn(blocks).includes(entry)
          ? undefined
          : { blocks: [...blocks, { kind: "entry", text: entry }] },
      );
    },
    replace: async (target, { text, ...old }) => {
      const entry = entryOf(text);
      return change(target, (blocks) => {
        const found = only(target, blocks, old);
        if (found.text === entry) return undefined;
        const changed = (block: Block): Block =>
          block === found ? { kind: "entry", text: entry } : block;
        return { blocks: blocks.map(changed), was: found.text };
      });
    },
    remove: (target, old) =>
      change(target, (blocks) => {
        const found = only(target, blocks, old);
        return { blocks: blocks.filter((block) => block !== found), was: found.text };
      }),
    read: async (target) => {
      const text = await load(target);
      const cut = `\n[too long: only ${MEMORY_LIMITS[target]} characters are shown]`;
      return {
        text: bounded(plain(text), MEMORY_LIMITS[target], cut),
        usage: usage(target, text),
        hash: hashOf(text),
      };
    },
    look: async (target) => void (await change(target, () => undefined)),
  };
}

/** Undefined: it is as it should be. */
type Edit = (blocks: readonly Block[]) => { blocks: readonly Block[]; was?: string } | undefined;

function edited(
  { target, text, file }: { target: MemoryTarget; text: string; file: string },
  edit: Edit,
) {
  const before = hashOf(text);
  const made = edit(parse(text));
  if (!made) {
    const result: MemoryChange = { ...usage(target, text), changed: false };
    return { text: undefined, result: { result, before, after: before } };
  }
  const next = render(made.blocks);
  // A file that a person made too long may still be made shorter.
  if (next.length > MEMORY_LIMITS[target] && next.length > text.length) {
    throw full(file, usage(target, text), next.length);
  }
  const was = made.was === undefined ? {} : { was: made.was };
  const result: MemoryChange = { ...usage(target, next), changed: true, ...was };
  return { text: next, result: { result, before, after: hashOf(next) } };
}

function hashOf(text: string): string {
  return text === "" ? "" : hash("sha256", text);
}

/** `text` of an entry: without its bullet and indentation. Of other lines: as they are. */
type Block = { readonly kind: "entry" | "other"; readonly text: string };

function parse(text: string): Block[] {
  const blocks: Block[] = [];
  let entry: string[] | undefined;
  const close = () => {
    if (entry) blocks.push({ kind: "entry", text: entry.join("\n") });
    entry = undefined;
  };
  for (const line of text.replaceAll("\r\n", "\n").replace(/\n$/, "").split("\n")) {
    const bullet = /^[-*] +(\S.*)$/.exec(line);
    if (bullet?.[1] !== undefined) {
      close();
      entry = [bullet[1]];
    } else if (entry && /^\s+\S/.test(line)) {
      entry.push(line.replace(/^ {1,2}|^\t/, ""));
    } else {
      close();
      blocks.push({ kind: "other", text: line });
    }
  }
  close();
  return blocks.length === 1 && blocks[0]?.text === "" ? [] : blocks;
}

function render(blocks: readonly Block[]): string {
  const lines = blocks.map(({ kind, text }) =>
    kind === "entry" ? `- ${text.replaceAll("\n", "\n  ")}` : text,
  );
  return lines.length === 0 ? "" : `${lines.join("\n")}\n`;
}

function entriesIn(blocks: readonly Block[]): string[] {
  return blocks.filter(({ kind }) => kind === "entry").map(({ text }) => text);
}

/** As it will be read back: one block, no empty lines, nothing invisible. */
function entryOf(text: string): string {
  const lines = plain(text)
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);
  const entry = lines.join("\n").replace(/^(?:[-*] +)+/, "");
  if (!/[^\s*-]/.test(entry)) throw new ProfileError("empty", "memory", "there is no text to keep");
  return entry;
}

function theOnly(
  blocks: readonly Block[],
  { old: given, whole = false }: OldEntry,
  file: string,
): Block {
  const old = plain(given).trim();
  if (old === "") throw new ProfileError("no_match", file, "say which entry, by part of it");
  const matches = ({ text }: Block) => (whole ? plain(text).trim() === old : text.includes(old));
  const found = blocks.filter((block) => block.kind === "entry" && matches(block));
  if (found[0] && (whole || found.length === 1)) return found[0]; // the same twice: either will do
  if (found.length > 1 && !whole) {
    const problem = `${found.length} entries contain that text; use a longer part of the one meant`;
    throw new ProfileError("ambiguous", file, problem);
  }
  const problem = blocks.some(matches)
    ? "that line is not an entry (no bullet): only a person changes it"
    : whole
      ? "that entry is not there any more; look at what is there now"
      : "no entry contains that text; list them to see what is there";
  throw new ProfileError("no_match", file, problem);
}

function usage(target: MemoryTarget, text: string): MemoryUsage {
  const limit = MEMORY_LIMITS[target];
  const percent = Math.round((text.length / limit) * 100);
  return { chars: text.length, limit, percent, entries: entriesIn(parse(text)).length };
}

function full(file: string, { chars, limit, percent }: MemoryUsage, wanted: number): ProfileError {
  const problem =
    `it is ${percent} % full (${chars} of ${limit} characters) and this would make it ${wanted}; ` +
    "shorten, merge or remove entries first";
  return new ProfileError("full", file, problem);
}
