// The HUD: a live feed of what the agent does. A turn is a run (one answer to one message, however many model
// calls it takes), tools and thinking nest in it, a subagent's turn nests in the call that asked for it.
// Every start is followed by its end, whatever becomes of the run.
import type { EventOf } from "../../../kernel/events/events.ts";
import { dialectTable, nothing, type Dialect } from "../../../kernel/dialect/dialect.ts";
import {
  beginTurn,
  emptyOpenNodes,
  endAll,
  endCall,
  endThink,
  endThinks,
  endTurn,
  forgetRun,
  inTurn,
  keyOf,
  planCall,
  runOf,
  startThink,
  type OpenNodes,
} from "./open-nodes.ts";
import type { HudEvent } from "./events.ts";
import { callCorrelation, stamped } from "./ids.ts";
import { receivedCases, emitUnknown } from "./received.ts";
import { requestCases, settleAll } from "./requests.ts";
import { utf8Bytes } from "../../../kernel/text/truncate.ts";
import { firstBytes } from "./text.ts";
import { fullOf, hudArgs, outlineOf } from "./args.ts";

const table = dialectTable<OpenNodes, HudEvent>()({
  ...receivedCases,
  ...requestCases,

  "run.queued": (event, nodes) => {
    const run = runOf(nodes, event.run_id);
    run.known = true;
    run.parentRunId ??= event.payload.parent_run_id;
    run.parentId ??= event.payload.parent_run_id;
    return [];
  },
  "run.started": (event, nodes, emitOptions) => {
    runOf(nodes, event.run_id).status = "running";
    return stamped(event, emitOptions, beginTurn(nodes, event));
  },
  "turn.started": (event, nodes, emitOptions) =>
    stamped(event, emitOptions, beginTurn(nodes, event)),
  "token.delta": (event, nodes, emitOptions) =>
    stamped(event, emitOptions, beginTurn(nodes, event)),

  "reasoning.delta": (event, nodes, emitOptions) =>
    stamped(event, emitOptions, startThink(nodes, event, event.payload.reasoning_id)),

  "reasoning.done": (event, nodes, emitOptions) => {
    const { reasoning_id, text } = event.payload;
    const began = text === "" ? [] : startThink(nodes, event, reasoning_id);
    const key = keyOf(event.run_id, reasoning_id);
    return stamped(event, emitOptions, [
      ...began,
      ...endThink(nodes, event, { key, words: thought(event) }),
    ]);
  },

  // What a cut step thought is thought again: its words were never whole.
  "turn.superseded": (event, nodes, emitOptions) =>
    stamped(event, emitOptions, endThinks(nodes, event, { superseded: true })),

  "tool.intent": (event, nodes, emitOptions) =>
    stamped(event, emitOptions, planCall(nodes, event, event.payload)),

  // The node is there since the intent, so that what waits for approval is seen; a call that runs again
  // after a crash is the same node.
  "tool.started": (event, nodes, emitOptions) =>
    stamped(event, emitOptions, beginTurn(nodes, event)),

  "tool.replanned": (event, nodes, emitOptions) => {
    const { call_id, plan, by } = event.payload;
    const call = nodes.calls[keyOf(event.run_id, call_id)];
    if (!call) return [];
    const planned = hudArgs(call.name, plan.arguments, event);
    const { args, full } = planned;
    call.outline = outlineOf(plan);
    if (call.held) call.held = planned;
    const correlationId = callCorrelation(event.run_id, call_id);
    const cut = full && { truncated: true, full };
    const payload = { correlationId, tool: call.name, args, by, ...cut };
    const label = "changed before it was allowed";
    const about = { subtype: "replanned", label, payload, ...inTurn(nodes, event) };
    return stamped(event, emitOptions, [{ event: "received", ...about }]);
  },

  "tool.done": (event, nodes, emitOptions) =>
    stamped(event, emitOptions, endCall(nodes, event, event.payload)),

  // Told as the turn of the run it starts.
  "subagent.started": (event, nodes) => {
    const { child_run_id, call_id, title } = event.payload;
    const run = runOf(nodes, child_run_id);
    run.parentId = callCorrelation(event.run_id, call_id);
    run.parentRunId = event.run_id;
    run.label = `subagent: ${firstBytes(title, 200).text}`;
    return [];
  },
  "subagent.*": nothing,

  done: (event, nodes, emitOptions) => {
    const open = endAll(nodes, event);
    const asked = settleAll(nodes, event);
    const turn = endTurn(nodes, event, event.payload);
    forgetRun(nodes, event.run_id);
    return stamped(event, emitOptions, [...open, ...asked, ...turn]);
  },

  // Their steps are calls of the tools `plan` and `todo`, and seen as such.
  "todo.*": nothing,
  "plan.*": nothing,

  // Words, money and files are no activity: the result of the turn or call has what counts of them.
  "process.*": nothing,
  "turn.*": nothing,
  "message.*": nothing,
  "tool.*": nothing,
  "usage.*": nothing,
  "checkpoint.*": nothing,
  "files.*": nothing,
});

/** The words of a thought, as far as they fit; none where they are not to be shown. */
function thought(event: EventOf<"reasoning.done">) {
  const { text: whole, visibility } = event.payload;
  const bytes = utf8Bytes(whole);
  if (visibility === "hidden") return { bytes };
  const { text, cut } = firstBytes(whole);
  if (!cut) return { text, bytes };
  return { text, bytes, truncated: true as const, full: fullOf({ bytes, sha256: null }, event) };
}

export const hudDialect: Dialect<OpenNodes, HudEvent> = {
  name: "hud",
  of: "session",
  frames: "any",
  begin: emptyOpenNodes,
  table,
  unknown: emitUnknown,
  kind: (frame) => (frame.event === "received" ? `received ${frame.subtype}` : frame.event),
};
