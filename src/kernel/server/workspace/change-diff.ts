// One diff per changed file, from before the first change to after the last. The files, the bytes read and the bytes
// sent are bounded; what is left out is stated.
import { buffer } from "node:stream/consumers";
import type { BlobStore } from "../../blobs/blobs.ts";
import type { ChangeRecord, DiffView, FileDiff } from "../../api/records/records.ts";
import { unifiedDiff } from "./file-diff.ts";

const MAX_FILES = 200;
const MAX_TEXT = 1_048_576;
const MAX_FILE = 2_097_152; // of one version: larger ones are not compared
const MAX_READ = 16_777_216;

type Net = Pick<FileDiff, "path" | "workspace" | "before" | "after">;
type Text = Omit<FileDiff, keyof Net>;

const LEFT_OUT: Text = { text: "", added: 0, removed: 0, binary: false, truncated: true };

export async function diffOf(
  blobs: BlobStore,
  changes: readonly ChangeRecord[],
): Promise<DiffView> {
  const net = netChanges(changes);
  const files: FileDiff[] = [];
  let [chars, read] = [0, 0];
  for (const file of net.slice(0, MAX_FILES)) {
    read += (file.before?.bytes ?? 0) + (file.after?.bytes ?? 0);
    const made = read <= MAX_READ && chars < MAX_TEXT ? await textOf(blobs, file) : LEFT_OUT;
    const fits = chars + made.text.length <= MAX_TEXT;
    const shown = fits ? made : { ...made, text: "", truncated: true };
    chars += shown.text.length;
    files.push({ ...file, ...shown });
  }
  return { files, truncated: net.length > MAX_FILES || files.some(({ truncated }) => truncated) };
}

/** One entry per file, in the order of their first changes; without those that are as they were. */
function netChanges(changes: readonly ChangeRecord[]): Net[] {
  const byFile = new Map<string, Net>();
  for (const { path, workspace, before, after } of changes) {
    const key = JSON.stringify([workspace, path]);
    const known = byFile.get(key);
    byFile.set(key, { path, workspace, before: known ? known.before : before, after });
  }
  return [...byFile.values()].filter(
    ({ before, after }) => before?.sha256 !== after?.sha256 || before?.mode !== after?.mode,
  );
}

async function textOf(blobs: BlobStore, { path, before, after }: Net): Promise<Text> {
  const contents = [await contentOf(blobs, before), await contentOf(blobs, after)] as const;
  if (contents[0] === undefined || contents[1] === undefined) return LEFT_OUT;
  return unifiedDiff({ path, before: contents[0], after: contents[1] });
}

/** Undefined when it is too large, or not there any more. */
async function contentOf(blobs: BlobStore, version: Net["before"]) {
  if (version === null) return null;
  const size = await blobs.size(version.sha256);
  return size === undefined || size > MAX_FILE ? undefined : buffer(blobs.read(version.sha256));
}
