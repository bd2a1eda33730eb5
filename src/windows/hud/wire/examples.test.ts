// Every JSON example of the HUD document, through the reducer as it stands there, and against what we send:
// the same fields, of the same types.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as d from "../../../../test/support/drafts.ts";
import { sealAll, sessionCreated, type AnyDraft } from "../../../../test/support/events.ts";
import { encode } from "../../../kernel/dialect/dialect.ts";
import type { HudEvent } from "./events.ts";
import { hudDialect } from "./hud.ts";
import { applyHudFrame, emptyHud, hudTree } from "../state/hud-state.ts";

const EXAMPLES = String.raw`
{ "type": "hud", "event": "turn_start", "id": "<uuid>", "correlationId": "<turnId>", "ts": 1741995000000 }
{ "type": "hud", "event": "think_start", "id": "<uuid>", "correlationId": "<uuid-think>", "parentId": "<turnId>", "ts": 1741995000050 }
{ "type": "hud", "event": "think_end",   "id": "<uuid>", "correlationId": "<uuid-think>", "parentId": "<turnId>", "ts": 1741995000820, "durationMs": 770 }
{ "type": "hud", "event": "tool_start", "id": "<uuid>", "correlationId": "call_123f898fc88346afaec098e0", "parentId": "<turnId>", "tool": "read", "args": { "path": "workspace-titan/SOUL.md" }, "ts": 1741995001000 }
{ "type": "hud", "event": "tool_end", "id": "<uuid>", "correlationId": "call_123f898fc88346afaec098e0", "parentId": "<turnId>", "tool": "read", "result": { "ok": true, "text": "# SOUL\n…", "bytes": 2048 }, "ts": 1741995001210, "durationMs": 210 }
{ "type": "hud", "event": "turn_end",   "id": "<uuid>", "correlationId": "<turnId>", "ts": 1741995004500, "durationMs": 4500 }
{ "type": "hud", "event": "received", "id": "<uuid>", "subtype": "new_session", "label": "/new received — resetting session", "payload": { "previousAgent": "tester" }, "ts": 1741995010000 }
{ "type": "hud", "event": "received", "id": "<uuid>", "subtype": "agent_switch", "label": "switch → titan", "payload": { "from": "tester", "to": "titan" }, "ts": 1741995020000 }
{ "type": "hud", "event": "received", "id": "<uuid>", "subtype": "stop", "label": "stop received — aborting turn", "payload": { "state": "AGENT_RUNNING" }, "ts": 1741995030000 }
{ "type": "hud", "event": "received", "id": "<uuid>", "subtype": "reconnect", "label": "reconnected — replaying history", "payload": { "sessionKey": "agent:titan:web:nico" }, "ts": 1741995040000 }
{ "type": "hud", "event": "received", "id": "<uuid>", "subtype": "message", "label": "message received", "payload": { "preview": "hello world" }, "ts": 1741995050000 }
`;
type Frame = Record<string, unknown> & { event: string; id: string; subtype?: string };

const lines = EXAMPLES.trim().split("\n");
const asWritten = lines.map((line) => JSON.parse(line) as Frame);
/** "<uuid>" stands for a new one each time. */
const examples = asWritten.map((frame, at): Frame => ({ ...frame, id: `uuid-${at}` }));

test("[W6] the document's examples make the document's tree", () => {
  const [turn, ...others] = hudTree(examples.reduce(applyHudFrame, emptyHud()));
  const { children, ...about } = turn ?? { children: [] };
  const common = { state: "done", replay: false };
  assert.deepEqual(about, {
    ...common,
    id: "uuid-0",
    type: "turn",
    label: "turn",
    startedAt: 1741995000000,
    endedAt: 1741995004500,
    durationMs: 4500,
  });
  assert.deepEqual(children, [
    {
      ...common,
      id: "uuid-1",
      type: "think",
      label: "think",
      startedAt: 1741995000050,
      endedAt: 1741995000820,
      durationMs: 770,
      children: [],
    },
    {
      ...common,
      id: "uuid-3",
      type: "tool",
      label: "👁 workspace-titan/SOUL.md",
      tool: "read",
      args: { path: "workspace-titan/SOUL.md" },
      result: { ok: true, text: "# SOUL\n…", bytes: 2048 },
      startedAt: 1741995001000,
      endedAt: 1741995001210,
      durationMs: 210,
      children: [],
    },
  ]);
  assert.deepEqual(
    others.map(({ type, subtype, state, label, args }) => [type, subtype, state, label, args]),
    examples
      .filter(({ event }) => event === "received")
      .map(({ subtype, label, payload }) => ["received", subtype, "done", label, payload]),
  );
});

test("[W6] the examples in any order, and twice, leave nothing running", () => {
  for (const order of [examples.toReversed(), [...examples, ...examples]]) {
    const hud = order.reduce(applyHudFrame, emptyHud());
    assert.deepEqual(hud.running, []);
    assert.equal(hud.entries.length, 8);
  }
});

/** A session in which everything of the examples happens. */
function ours(): HudEvent[] {
  const read = { tool: "read", arguments: { path: "SOUL.md" }, workspace: "/w" };
  const intent = d.intent("c1") as { type: string; payload: Record<string, unknown> };
  const result = { ok: true, area: { startLine: 1, endLine: 2 }, bytes: 7, truncated: false };
  const output = { head: "# SOUL\n", tail: "", bytes: 7, sha256: null, truncated: false };
  const done = d.toolDone("c1") as { type: string; payload: Record<string, unknown> };
  const run: AnyDraft[] = [
    d.userMessage("hello world"),
    d.queued,
    d.started(),
    d.thought("re1", "Hm"),
    d.thoughtDone("re1", "Hm"),
    { ...intent, payload: { ...intent.payload, name: "read", plan: read } },
    { ...done, payload: { ...done.payload, name: "read", result, output } },
    d.status("cancelling"),
    d.done(9, "cancelled"),
  ];
  const events = sealAll([
    { logId: "s1", draft: sessionCreated },
    { logId: "s1", draft: { type: "session.updated", payload: { profile: "titan" } } },
    ...run.map((draft) => ({ logId: "r1", draft })),
  ]);
  const nodes = hudDialect.begin();
  return events.flatMap((event) => encode(hudDialect, event, nodes, { replay: false }));
}

const named = ({ event, subtype }: { event: string; subtype?: string }) => `${event} ${subtype}`;
// Of the connection: src/windows/hud/hud.test.ts. `previousAgent`: our sessions begin with none.
const NOT_HERE = new Set(["received reconnect"]);
const OPTIONAL = new Set(["previousAgent"]);

test("[W6] what we send has every field of the examples", () => {
  const sent = new Map(ours().map((frame) => [named(frame), frame as unknown as Frame]));
  for (const example of asWritten.filter((frame) => !NOT_HERE.has(named(frame)))) {
    const frame = sent.get(named(example));
    assert.ok(frame, named(example));
    assertHas(frame, example, named(example));
  }
});

function assertHas(frame: Record<string, unknown>, example: object, where: string): void {
  for (const [name, value] of Object.entries(example)) {
    if (OPTIONAL.has(name)) continue;
    assert.equal(typeof frame[name], typeof value, `${where}.${name}`);
    if (typeof value !== "object") continue;
    assertHas(frame[name] as Record<string, unknown>, value as object, `${where}.${name}`);
  }
}
