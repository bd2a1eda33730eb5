// A unified diff of one file, bounded in size and in computing time: a diff that nobody can read must not hold up
// other requests.
import { formatPatch, structuredPatch, type StructuredPatch } from "diff";

const MAX_BYTES = 2 << 20; // of either side
const MAX_TEXT = 256 * 1024;
const TIMEOUT_MS = 500;
const BINARY_PROBE = 8_000; // as git does: a NUL early in the file

/** null: there is no file. */
export type DiffInput = {
  readonly path: string;
  readonly before: Buffer | null;
  readonly after: Buffer | null;
};
/** `truncated`: the text is cut, or there is none because the change is too large to compare. */
export type FileDiff = {
  readonly text: string;
  readonly added: number;
  readonly removed: number;
  readonly binary: boolean;
  readonly truncated: boolean;
};

const NOTHING: FileDiff = { text: "", added: 0, removed: 0, binary: false, truncated: false };

export function unifiedDiff({ path, before, after }: DiffInput): FileDiff {
  if (isBinary(before) || isBinary(after)) return { ...NOTHING, binary: true };
  if ((before?.length ?? 0) > MAX_BYTES || (after?.length ?? 0) > MAX_BYTES) {
    return { ...NOTHING, truncated: true };
  }
  const [oldName, newName] = [
    before ? `a/${path}` : "/dev/null",
    after ? `b/${path}` : "/dev/null",
  ];
  const [oldText, newText] = [before?.toString() ?? "", after?.toString() ?? ""];
  if (oldText === newText && before && after) return NOTHING;
  const hunks = oldText && newText ? hunksOf(oldText, newText) : wholeHunk(oldText, newText);
  if (!hunks) return { ...NOTHING, truncated: true };
  const names = { oldFileName: oldName, newFileName: newName, oldHeader: "", newHeader: "" };
  const text = formatPatch({ ...names, hunks }).replace(/^=+\n/, "");
  return { ...counted(text), ...cut(text), binary: false };
}

type Hunks = StructuredPatch["hunks"];

function hunksOf(before: string, after: string): Hunks | undefined {
  const options = { context: 3, timeout: TIMEOUT_MS };
  return structuredPatch("", "", before, after, "", "", options)?.hunks;
}

/** Where one side is empty there is nothing to find, and a busy machine must not give it up. */
function wholeHunk(before: string, after: string): Hunks {
  const [old, now] = [linesOf(before), linesOf(after)];
  const lines = [...old.map((line) => `-${line}`), ...now.map((line) => `+${line}`)];
  if (lines.length === 0) return [];
  if (!(before + after).endsWith("\n")) lines.push("\\ No newline at end of file");
  return [{ oldStart: 1, oldLines: old.length, newStart: 1, newLines: now.length, lines }];
}

function linesOf(text: string): string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}

function counted(text: string): { added: number; removed: number } {
  let [added, removed] = [0, 0];
  let inHunk = false; // file names begin with --- and +++ as well
  for (const line of text.split("\n")) {
    if (line.startsWith("@@")) inHunk = true;
    else if (inHunk && line.startsWith("+")) added += 1;
    else if (inHunk && line.startsWith("-")) removed += 1;
  }
  return { added, removed };
}

function cut(text: string): { text: string; truncated: boolean } {
  if (text.length <= MAX_TEXT) return { text, truncated: false };
  return { text: text.slice(0, text.lastIndexOf("\n", MAX_TEXT) + 1), truncated: true };
}

function isBinary(content: Buffer | null): boolean {
  return content?.subarray(0, BINARY_PROBE).includes(0) ?? false;
}
