// Diffs computed from the contents in a recording, in the format of the server's diffs.
import { createTwoFilesPatch } from "diff";
import type { DiffQuery } from "../../../../kernel/client/calls/workspace-calls.ts";
import type { RecordedFile } from "../../client/file.ts";
import type { DiffView, FileDiff } from "../../../../kernel/api/records/records.ts";
import type { FileChange } from "../../../../kernel/events/catalogue/files.ts";

type Net = Pick<FileDiff, "path" | "workspace" | "before" | "after">;
const LEFT_OUT = { text: "", added: 0, removed: 0, binary: false, truncated: true };
const MAX_FILES = 200;
const TIMEOUT_MS = 500;

export function recordedDiff(file: RecordedFile, request: DiffQuery): DiffView {
  const net = netChanges(file, request);
  const files = net.slice(0, MAX_FILES).map((each) => ({ ...each, ...textOf(file, each) }));
  return { files, truncated: net.length > MAX_FILES || files.some(({ truncated }) => truncated) };
}

/** One entry per file, from before its first change to after its last. */
function netChanges({ events }: RecordedFile, { runId, checkpointId, until }: DiffQuery): Net[] {
  const byPath = new Map<string, Net>();
  const family = runId === undefined ? null : familyIn(events, runId);
  for (const event of events) {
    if (event.type !== "files.changed" || event.session_seq > (until ?? Infinity)) continue;
    if (family && !family.has(event.run_id)) continue;
    const { checkpoint_id, changes } = event.payload;
    if (checkpointId !== undefined && checkpoint_id !== checkpointId) continue;
    for (const { path, before, after } of changes) {
      const known = byPath.get(path);
      byPath.set(path, { path, workspace: "", before: known ? known.before : before, after });
    }
  }
  return [...byPath.values()].filter(
    ({ before, after }) => before?.sha256 !== after?.sha256 || before?.mode !== after?.mode,
  );
}

function familyIn(events: RecordedFile["events"], runId: string): ReadonlySet<string> {
  const family = new Set([runId]);
  for (const event of events) {
    if (event.type !== "run.queued") continue;
    const { parent_run_id } = event.payload;
    if (parent_run_id !== null && family.has(parent_run_id)) family.add(event.run_id);
  }
  return family;
}

function textOf({ contents }: RecordedFile, { path, before, after }: Net) {
  const [from, to] = [contentOf(contents, before), contentOf(contents, after)];
  if (from === undefined || to === undefined) return LEFT_OUT;
  if (from?.includes("\0") || to?.includes("\0")) {
    return { ...LEFT_OUT, binary: true, truncated: false };
  }
  const names = [
    from === null ? "/dev/null" : `a/${path}`,
    to === null ? "/dev/null" : `b/${path}`,
  ];
  const options = { context: 3, timeout: TIMEOUT_MS };
  const [old, now] = [from ?? "", to ?? ""];
  const patch = createTwoFilesPatch(names[0] ?? "", names[1] ?? "", old, now, "", "", options);
  if (patch === undefined) return LEFT_OUT;
  const text = patch.replace(/^=+\n/, "");
  const hunks = text.slice(Math.max(0, text.indexOf("\n@@"))).split("\n");
  const counted = (sign: string) => hunks.filter((line) => line.startsWith(sign)).length;
  return { text, added: counted("+"), removed: counted("-"), binary: false, truncated: false };
}

/** Null: the file did not exist. Undefined: its content is not in the recording. */
function contentOf(contents: RecordedFile["contents"], version: FileChange["before"]) {
  if (version === null) return null;
  const base64 = contents.get(version.sha256);
  if (base64 === undefined) return undefined;
  const bytes = Uint8Array.from(atob(base64), (char) => char.codePointAt(0) ?? 0);
  return new TextDecoder().decode(bytes);
}
