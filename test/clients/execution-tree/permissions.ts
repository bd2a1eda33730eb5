// What waits for a person, on the node it is about. Several may wait at one node; the newest is shown,
// and when it is answered the next, so that none is out of sight for good.
import type { NodeFacts, PendingPermission } from "./nodes.ts";
import { textIn, type Case, type Params } from "./params.ts";
import { liveScope } from "./scope.ts";
import { cellAt, change, find, type Cell, type TreeDraft } from "./store.ts";
import { get } from "../../../src/kernel/state/vector.ts";
import { own } from "../../../src/kernel/events/own.ts";

export const permissionCases = {
  "permission.request": (params, draft, at) => {
    const request: PendingPermission = {
      tool: textIn(params, "tool"),
      description: textIn(params, "description"),
      requestId: textIn(params, "requestId"),
      requestedAt: at,
    };
    const toolUseId = textIn(params, "toolUseId");
    const place =
      toolUseId === ""
        ? (find(draft, draft.activeNodeId) ?? liveScope(draft) ?? get(draft.roots, 0))
        : find(draft, toolUseId);
    if (place !== undefined) return ask(draft, place, request);
    forgetBuffered(draft, request.requestId); // asked again
    const pending = draft.pendingPermissionsByToolUseId;
    const taken = toolUseId === "" || Object.hasOwn(pending, toolUseId);
    const key = taken ? moreFor(toolUseId, request.requestId) : toolUseId;
    draft.pendingPermissionsByToolUseId = { ...pending, [key]: request };
  },

  "permission.response": (params, draft) => answered(params, draft),
  /** Another daemon's name of it. */
  "permission.cancelled": (params, draft) => answered(params, draft),
} satisfies Record<string, Case>;

function answered(params: Params, draft: TreeDraft): void {
  const id = textIn(params, "requestId");
  const { via = "websocket", approved } = params;
  forgetBuffered(draft, id);
  withdraw(draft, id, { by: via === "websocket" ? "browser" : "cli", yes: approved === true });
}

/** Further requests for a call that is not known yet stand beside the first one. */
const moreFor = (toolUseId: string, requestId: string) => `${toolUseId} ${requestId}`.trim();

/** What was asked before its call was known. */
export function askBuffered(draft: TreeDraft, toolUseId: string): void {
  const place = find(draft, toolUseId);
  if (place === undefined) return;
  for (const [key, request] of Object.entries(draft.pendingPermissionsByToolUseId)) {
    const { requestId } = request;
    if (key !== toolUseId && key !== moreFor(toolUseId, requestId)) continue;
    forgetBuffered(draft, requestId);
    ask(draft, place, request);
  }
}

function ask(draft: TreeDraft, place: number, request: PendingPermission): void {
  if (draft.waiting[request.requestId] !== place) withdraw(draft, request.requestId); // it moved
  const others = askedAt(draft, place).filter(({ requestId }) => requestId !== request.requestId);
  draft.waiting = { ...draft.waiting, [request.requestId]: place };
  show(draft, place, [...others, request]);
}

/** Takes one request away from wherever it waits. */
function withdraw(draft: TreeDraft, id: string, resolution?: Resolution): void {
  const place = own(draft.waiting, id);
  if (place === undefined) return;
  const left = askedAt(draft, place).filter(({ requestId }) => requestId !== id);
  if (left.length === 0) return settleWaiting(draft, place, resolution);
  forgetWaiting(draft, [id]);
  show(draft, place, left);
}

const askedAt = (draft: TreeDraft, place: number) => cellAt(draft, place).asked?.requests ?? [];

function show(draft: TreeDraft, place: number, requests: readonly PendingPermission[]): void {
  const newest = requests.at(-1);
  if (!newest) return;
  const { asked, node } = cellAt(draft, place);
  const before = asked?.before ?? node.status;
  const { tool, description, requestId, requestedAt } = newest;
  change(
    draft,
    place,
    (paused) => ({
      ...unasked(paused),
      status: "paused",
      awaitingInput: true,
      inputPrompt: description,
      permissionRequestId: requestId,
      metadata: {
        ...unresolved(paused),
        permissionTool: tool,
        permissionRequestedAt: requestedAt,
      },
    }),
    { asked: { before, requests } },
  );
  draft.activeNodeId = node.id;
}

type Resolution = { readonly by: "browser" | "cli"; readonly yes: boolean };

/** Nothing waits here any more: it was answered, or what it was about is over. */
export function settleWaiting(draft: TreeDraft, place: number, resolution?: Resolution): void {
  const { asked } = cellAt(draft, place);
  if (!asked) return;
  forgetWaiting(
    draft,
    asked.requests.map(({ requestId }) => requestId),
  );
  const emitted = resolution && {
    resolvedBy: resolution.by,
    resolvedApproved: resolution.yes,
  };
  change(
    draft,
    place,
    (node) => ({
      ...unasked(node),
      status: statusAfter(node, asked, resolution),
      metadata: { ...node.metadata, ...emitted },
    }),
    { asked: null },
  );
}

/** A no cancels the call that asked. A node that asked for somebody else goes on as it was. */
function statusAfter(
  node: NodeFacts,
  { before }: NonNullable<Cell["asked"]>,
  resolution: Resolution | undefined,
): NodeFacts["status"] {
  if (node.status !== "paused") return node.status; // it ended while it waited
  const own = node.type === "tool" && node.metadata?.["permissionTool"] === node.metadata?.["tool"];
  return own && resolution?.yes === false && before === "running" ? "cancelled" : before;
}

function unasked(node: NodeFacts): NodeFacts {
  const { awaitingInput: _a, inputPrompt: _p, permissionRequestId: _r, ...rest } = node;
  return rest;
}

function unresolved({ metadata = {} }: NodeFacts): Record<string, unknown> {
  const { resolvedBy: _b, resolvedApproved: _a, ...rest } = metadata;
  return rest;
}

function forgetWaiting(draft: TreeDraft, ids: readonly string[]): void {
  draft.waiting = Object.fromEntries(
    Object.entries(draft.waiting).filter(([id]) => !ids.includes(id)),
  );
}

function forgetBuffered(draft: TreeDraft, id: string): void {
  const pending = Object.entries(draft.pendingPermissionsByToolUseId);
  const left = pending.filter(([, { requestId }]) => requestId !== id);
  if (left.length < pending.length) draft.pendingPermissionsByToolUseId = Object.fromEntries(left);
}
