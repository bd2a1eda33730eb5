// Folds HUD frames into the tree of nodes a HUD shows. Pure, and the same whatever is sent twice: history is
// replayed on every reconnect. Ends find their starts by correlationId, then by id, then the oldest running one
// of the same kind; an end that was given to the wrong node that way is moved when the right one turns up.
import type { HudRecord } from "../wire/events.ts";
import { isRecord, readFrame, type PairedFrame, type ReadFrame } from "./frame.ts";
import { enter, lookUp } from "./index.ts";
import { toolLabel } from "./labels.ts";
import {
  addEntry,
  EMPTY_HUD,
  replaceEntry,
  type HudDraft,
  type HudEntry,
  type HudPending,
  type HudState,
} from "./tree.ts";
import { get } from "../../../kernel/state/vector.ts";

export { hudTree, visibleNodes } from "./tree.ts";
export type { HudNode, HudPending, HudState } from "./tree.ts";

export function emptyHud(): HudState {
  return EMPTY_HUD;
}

/** `frame`: whatever came over the wire. What is no HUD frame, or was seen before, changes nothing. */
export function applyHudFrame(state: HudState, frame: unknown): HudState {
  const read = readFrame(frame);
  if (!read) return state;
  // With its kind: servers may give a start and its end the same id.
  const seen = `f ${read.event} ${read.id}`;
  if (lookUp(state.index, seen) !== undefined) return state;
  const draft: HudDraft = { ...state };
  draft.index = enter(draft.index, seen, draft.entries.length);
  if (read.phase === "instant") receive(draft, read);
  else if (read.phase === "start") start(draft, read);
  else end(draft, read);
  return draft;
}

/** What waits for a person, oldest first. */
export function pendingRequests(state: HudState): readonly HudPending[] {
  return Object.values(state.pending);
}

/** What a node is called by its frames: `start` leads to nodes, `end` to ends without one. */
function keysOf({ type, correlationId, id }: PairedFrame, of: "start" | "end"): string[] {
  const byId = `${of} ${type} id ${id}`;
  return correlationId === undefined ? [byId] : [`${of} ${type} is ${correlationId}`, byId];
}

function enterAll(draft: HudDraft, keys: readonly string[], at: number): void {
  for (const key of keys) draft.index = enter(draft.index, key, at);
}

/** The first of the keys that is known. */
function findBy(draft: HudDraft, keys: readonly string[]): number | undefined {
  return keys.map((key) => lookUp(draft.index, key)).find((at) => at !== undefined);
}

/** Unknown parents are no reason to hide a node: it stands at the root. */
function parentOf({ index }: HudDraft, { parentId }: ReadFrame): number | null {
  if (parentId === undefined) return null;
  return (
    lookUp(index, `start turn is ${parentId}`) ?? lookUp(index, `start tool is ${parentId}`) ?? null
  );
}

function start(draft: HudDraft, frame: PairedFrame): void {
  const at = findBy(draft, keysOf(frame, "end"));
  const entry = at === undefined ? undefined : get(draft.entries, at);
  if (at !== undefined && entry?.started === false) return complete(draft, at, { entry, frame });
  const stray =
    at !== undefined && entry?.stray && answers(entry.stray, frame) ? entry.stray : null;
  if (at !== undefined && entry && stray) reopen(draft, at, entry);
  const node = add(draft, frame, { started: true, stray: null });
  if (stray) close(draft, node, { frame: stray, stray: null });
}

function answers(end: PairedFrame, begun: PairedFrame): boolean {
  return end.id === begun.id || (end.correlationId ?? null) === (begun.correlationId ?? "");
}

/** The end came first. */
function complete(
  draft: HudDraft,
  at: number,
  { entry, frame }: { entry: HudEntry; frame: PairedFrame },
): void {
  const { node } = entry;
  const { id, ts: startedAt, replay } = frame;
  const tool = frame.tool ?? node.tool;
  const next = { ...node, id, startedAt, replay, ...(tool && { tool }), ...argsOf(frame) };
  const labelled = { ...next, label: labelOf(frame.label, next) };
  replaceEntry(draft, at, { ...entry, node: labelled, started: true });
  enterAll(draft, keysOf(frame, "start"), at);
}

function reopen(draft: HudDraft, at: number, entry: HudEntry): void {
  const { result: _result, endedAt: _ended, durationMs: _took, ...begun } = entry.node;
  const node = { ...begun, state: "running" } as const;
  const labelled = { ...node, label: labelOf(undefined, node) };
  replaceEntry(draft, at, { ...entry, node: labelled, stray: null });
}

function add(
  draft: HudDraft,
  frame: PairedFrame,
  { started, stray }: Pick<HudEntry, "started" | "stray">,
): number {
  const { id, type, tool, ts: startedAt, replay, correlationId = null } = frame;
  const about = { ...(tool !== undefined && { tool }), ...argsOf(frame) };
  const bare = { id, type, state: "running", label: "", ...about, startedAt, replay } as const;
  const node = { ...bare, label: labelOf(frame.label, bare) };
  const parent = parentOf(draft, frame);
  const at = addEntry(draft, { node, correlationId, parent, started, stray });
  enterAll(draft, keysOf(frame, "start"), at);
  return at;
}

function argsOf({ args, argsTruncated, argsFull }: PairedFrame) {
  return {
    ...(args && { args }),
    ...(argsTruncated && { argsTruncated }),
    ...(argsFull && { argsFull }),
  };
}

type Labelling = Pick<HudEntry["node"], "type" | "tool" | "args" | "result" | "label">;

/** Tools by the table of the document; a turn or thought as it is called, and stays so. */
function labelOf(
  given: string | undefined,
  { type, tool, args, result, label }: Labelling,
): string {
  if (type !== "tool") return given ?? (label === "" ? type : label);
  return toolLabel({ tool: tool ?? "tool", args: args ?? {}, result });
}

function end(draft: HudDraft, frame: PairedFrame): void {
  const own = ownNode(draft, frame);
  if (own !== undefined) return settle(draft, own, frame);
  const oldest = draft.running.find((at) => isLike(get(draft.entries, at)?.node, frame));
  if (oldest !== undefined) {
    close(draft, oldest, { frame, stray: frame });
    return enterAll(draft, keysOf(frame, "end"), oldest);
  }
  orphan(draft, frame);
}

/** A running node of that name before one that has ended: names may be used again. */
function ownNode(draft: HudDraft, frame: PairedFrame): number | undefined {
  const { correlationId, type } = frame;
  const running = draft.running.find((at) => {
    const entry = get(draft.entries, at);
    return entry?.node.type === type && entry.correlationId === (correlationId ?? "");
  });
  return running ?? findBy(draft, keysOf(frame, "start"));
}

function settle(draft: HudDraft, at: number, frame: PairedFrame): void {
  const entry = get(draft.entries, at);
  if (!entry || (entry.node.state !== "running" && !entry.stray)) return; // the first result stands
  const { stray } = entry;
  close(draft, at, { frame, stray: null });
  if (stray) orphan(draft, stray); // it was somebody else's
}

function isLike(node: HudEntry["node"] | undefined, { type, tool }: PairedFrame): boolean {
  if (node?.type !== type) return false;
  return type !== "tool" || tool === undefined || node.tool === tool;
}

function close(
  draft: HudDraft,
  at: number,
  { frame, stray }: { frame: PairedFrame; stray: PairedFrame | null },
): void {
  const entry = get(draft.entries, at);
  if (!entry) return;
  const { result: _result, ...node } = entry.node;
  const { ts: endedAt, result, durationMs = Math.max(0, endedAt - node.startedAt) } = frame;
  const state: "error" | "done" = result?.["ok"] === false ? "error" : "done";
  const next = { ...node, state, ...(result && { result }), endedAt, durationMs };
  const labelled = { ...next, label: labelOf(undefined, next) };
  replaceEntry(draft, at, { ...entry, node: labelled, stray });
}

/** An end without a start is kept as what it is: something that has ended. */
function orphan(draft: HudDraft, frame: PairedFrame): void {
  const ts = frame.ts - (frame.durationMs ?? 0);
  const at = add(draft, { ...frame, ts }, { started: false, stray: null });
  close(draft, at, { frame, stray: null });
  enterAll(draft, keysOf(frame, "end"), at);
}

function receive(draft: HudDraft, frame: ReadFrame): void {
  const { id, subtype, label = subtype ?? "received", payload, ts, replay } = frame;
  const about = { ...(subtype !== undefined && { subtype }), ...(payload && { args: payload }) };
  const times = { startedAt: ts, endedAt: ts };
  const node = { id, type: "received", state: "done", label, ...about, ...times, replay } as const;
  const parent = parentOf(draft, frame);
  addEntry(draft, { node, correlationId: null, parent, started: true, stray: null });
  if (!payload) return;
  if (subtype === "replanned") replan(draft, payload);
  else notePending(draft, { subtype: subtype ?? "", label, payload });
}

/** A person changed what a call will do before allowing it: the node shows what runs. */
function replan(draft: HudDraft, { correlationId, args, truncated, full }: HudRecord): void {
  const at = lookUp(draft.index, `start tool is ${String(correlationId)}`);
  const entry = at === undefined ? undefined : get(draft.entries, at);
  if (at === undefined || entry?.node.state !== "running") return;
  if (!isRecord(args)) return;
  const { argsTruncated: _cut, argsFull: _full, ...node } = entry.node;
  const cut = truncated === true && { argsTruncated: true as const };
  const next = { ...node, args, ...cut, ...(isRecord(full) && { argsFull: full }) };
  replaceEntry(draft, at, { ...entry, node: { ...next, label: labelOf(undefined, next) } });
}

function notePending(draft: HudDraft, { subtype, label, payload }: Omit<HudPending, "requestId">) {
  const { request_id: id, status } = payload;
  if (typeof id !== "string" || typeof status !== "string") return;
  const key = `/${id}`;
  const { [key]: _settled, ...rest } = draft.pending;
  const asked = { requestId: id, subtype, label, payload };
  draft.pending = status === "pending" ? { ...rest, [key]: asked } : rest;
}
