// Sealed events for reducers, and arbitrary journals for property tests: everything that a run can go through (parallel
// calls, people, crashes, unknown types), in a possible order.
import fc from "fast-check";
import { GENESIS, sealer } from "../../src/kernel/journal/hash-chain.ts";
import type { Draft, RunEvent } from "../../src/kernel/events/events.ts";
import * as d from "./drafts.ts";

/** A draft, or an event of a newer writer. */
export type AnyDraft = Draft | { type: string; payload: Record<string, unknown> };
export type Entry = { readonly logId: string; readonly draft: AnyDraft };

/** The events as a reader gets them: through bytes, numbered and chained by the real journal code. */
export function sealAll(entries: readonly Entry[], sessionId = "s1"): RunEvent[] {
  const heads = new Map<string, { seq: number; hash: string }>();
  return entries.map(({ logId, draft }, index) => {
    const { seq, hash: prevHash } = heads.get(logId) ?? { seq: 0, hash: GENESIS };
    const sealed = sealer({ logId, sessionId, epoch: "e1" })(draft as Draft, {
      seq: seq + 1,
      sessionSeq: index + 1,
      at: String(1_000 + index),
      prevHash,
    });
    heads.set(logId, { seq: seq + 1, hash: sealed.hash });
    return JSON.parse(sealed.body) as RunEvent;
  });
}

export function seal(runId: string, drafts: readonly AnyDraft[]): RunEvent[] {
  return sealAll(drafts.map((draft) => ({ logId: runId, draft })));
}

const words = fc.string({ unit: "grapheme", maxLength: 12 });
const chunks = fc.array(words, { minLength: 1, maxLength: 4 });
const picks = fc.array(fc.nat(7), { maxLength: 40 });

/** Merges lists, each in its own order: `picks` decides whose turn it is. */
function weave<Value>(lists: readonly (readonly Value[])[], order: readonly number[]): Value[] {
  const rest = lists.map((list) => [...list]);
  const merged: Value[] = [];
  for (let turn = 0; rest.some((list) => list.length > 0); turn++) {
    const waiting = rest.filter((list) => list.length > 0);
    const next = waiting[(order[turn] ?? 0) % waiting.length]?.shift();
    if (next !== undefined) merged.push(next);
  }
  return merged;
}

const CALLS = {
  completed: (id) => [d.toolStarted(id), d.printed(id, "out"), d.toolDone(id)],
  failed: (id) => [d.toolStarted(id), d.toolDone(id, "failed")],
  approved: (id) => [
    d.approvalAsked(id),
    d.status("awaiting_approval"),
    d.approvalGiven(id, "once"),
    d.status("running"),
    d.toolStarted(id),
    d.toolDone(id),
  ],
  denied: (id) => [d.approvalAsked(id), d.approvalGiven(id, "deny"), d.toolDone(id, "denied")],
  unanswered: (id) => [d.approvalAsked(id), d.status("awaiting_approval")],
  clarified: (id) => [
    d.toolStarted(id),
    d.clarifyAsked(`cl_${id}`, id),
    d.clarifyGiven(`cl_${id}`, id, "left"),
    d.toolDone(id),
  ],
  unknown: (id) => [
    d.toolStarted(id),
    d.recovery(1),
    d.outcomeUnknown(id),
    d.clarifyGiven(`un_${id}`, id, "mark_done"),
    d.toolDone(id, "marked_done"),
  ],
  repeated: (id) => [d.toolStarted(id), d.toolDone(id), d.toolDone(id, "failed")],
  replanned: (id) => [
    d.approvalAsked(id),
    d.replanned(id),
    d.approvalGiven(id, "once"),
    d.toolStarted(id),
    d.toolDone(id),
  ],
  wrote: (id) => [d.checkpoint(id), d.toolStarted(id), d.changed(id, "a.txt"), d.toolDone(id)],
  behind: (id) => [
    d.toolStarted(id),
    { type: "process.started", payload: { process_id: `p_${id}`, call_id: id, command: "sleep" } },
    d.toolDone(id),
    {
      type: "process.asked",
      payload: { process_id: `p_${id}`, action: "input", text: "go on\n", close: false },
    },
    { type: "process.exited", payload: { process_id: `p_${id}`, exit_code: 0, signal: null } },
  ],
  delegated: (id) => [d.toolStarted(id), ...subagent(id), d.toolDone(id)],
} satisfies Record<string, (id: string) => Draft[]>;

function subagent(call_id: string): Draft[] {
  const child = {
    subagent_id: `c_${call_id}`,
    child_run_id: `c_${call_id}`,
    call_id,
    title: "Sub",
  };
  return [
    { type: "subagent.started", payload: { ...child, prompt: "go", depth: 1 } },
    { type: "subagent.completed", payload: { ...child, status: "completed", summary: "ok" } },
  ];
}

const step = { plan_id: "pl", step_id: "st1", index: 1, name: "Look" };
const steps = [{ step_id: "st1", index: 1, name: "Look", description: "" }];
const PLANNING: readonly AnyDraft[] = [
  { type: "todo.updated", payload: { items: [{ id: "1", content: "a", status: "pending" }] } },
  { type: "plan.created", payload: { plan_id: "pl", goal: "Do it", steps } },
  { type: "plan.step_started", payload: { ...step, total: 1 } },
  { type: "plan.step_fallback", payload: { ...step, approach: "other", attempt: 1 } },
  {
    type: "plan.step_completed",
    payload: { ...step, success: true, duration_ms: 1, tokens_used: null },
  },
  { type: "plan.replanned", payload: { plan_id: "pl", attempt: 1, rationale: "why", steps } },
  { type: "plan.escalated", payload: { plan_id: "pl", reason: "stuck" } },
];

/** Events that can occur between any two events of a run. */
const noise = fc.oneof(
  words.map((text) => d.userMessage(text, "steer")),
  fc.option(words).map((text) => d.edited("m_steer", text)),
  words.map((message): Draft => ({
    type: "progress",
    payload: { phase: "p", message, call_id: null },
  })),
  fc.integer({ min: 0, max: 9 }).map((tokens) => d.used(1, tokens)),
  fc.constantFrom<AnyDraft>(
    ...PLANNING,
    { type: "x.note", payload: { any: ["thing", null, 1.5] } },
    { type: "moon.phase", payload: { phase: "waxing", nested: { deep: true } } },
    { type: "constructor", payload: {} },
    d.clarifyAsked("cl_free", null),
    d.clarifyGiven("cl_free", null, "right"),
    d.goalDecided("continue"),
    d.goalDecided("blocked"),
    { type: "title.updated", payload: { title: "Told", source: "model" } },
    { type: "received", payload: { subtype: "steer", reference: null } },
    {
      type: "compaction",
      payload: { phase: "completed", original_tokens: 9, compacted_tokens: 3, summary: null },
    },
  ),
);

type Block = { thinks: boolean; texts: string[] };
type Turn = { blocks: Block[]; calls: (keyof typeof CALLS)[]; lost: number; order: number[] };

const turns: fc.Arbitrary<Turn[]> = fc.array(
  fc.record({
    blocks: fc.array(fc.record({ thinks: fc.boolean(), texts: chunks }), { maxLength: 3 }),
    calls: fc.array(fc.constantFrom(...(Object.keys(CALLS) as (keyof typeof CALLS)[])), {
      maxLength: 3,
    }),
    lost: fc.nat(2),
    order: picks,
  }),
  { maxLength: 4 },
);

function blockDrafts({ thinks, texts }: Block, id: string): Draft[] {
  const whole = texts.join("");
  if (!thinks) return texts.map((text) => d.token(id, text));
  return [...texts.map((text) => d.thought(id, text)), d.thoughtDone(id, whole)];
}

function turnDrafts({ blocks, calls, lost, order }: Turn, index: number): Draft[] {
  const drafts: Draft[] = [];
  for (let attempt = 1; attempt <= lost + 1; attempt++) {
    const ids = blocks.map((_, block) => `m${index}.${attempt}.${block}`);
    const shown = weave(
      blocks.map((block, at) => blockDrafts(block, ids[at] ?? "")),
      order,
    );
    drafts.push(d.turnStarted(index, attempt));
    if (attempt <= lost) {
      const cut = shown.slice(0, (order[0] ?? 0) % (shown.length + 1));
      drafts.push(...cut, d.recovery(attempt), d.superseded(index, attempt));
      continue;
    }
    const texts = blocks.flatMap((block, at) =>
      block.thinks ? [] : [{ block, id: ids[at] ?? "" }],
    );
    const ended = texts.map(({ block, id }) =>
      d.said(id, block.texts.join(""), `t${index}.${attempt}`),
    );
    const callIds = calls.map((_, call) => `c${index}.${call}`);
    const intents = callIds.map((id) => d.intent(id, `t${index}.${attempt}`));
    const work = weave(
      calls.map((kind, call) => CALLS[kind](callIds[call] ?? "")),
      order,
    );
    drafts.push(...shown, ...ended, ...intents, ...work, d.turnCompleted(index, attempt));
  }
  return drafts;
}

const endings = fc.constantFrom("completed", "failed", "cancelled", "expired", undefined);

/** The drafts of one run, from its message to its end, or cut while it is active. */
export const runDrafts: fc.Arbitrary<AnyDraft[]> = fc
  .record({
    turns,
    noise: fc.array(fc.tuple(fc.nat(), noise), { maxLength: 8 }),
    ending: endings,
    prompt: words,
  })
  .map(({ turns: all, noise: extra, ending, prompt }) => {
    const middle: AnyDraft[] = all.flatMap((turn, index) => turnDrafts(turn, index + 1));
    for (const [at, draft] of extra) middle.splice(at % (middle.length + 1), 0, draft);
    const drafts = [d.userMessage(prompt), d.queued, d.started(), ...middle];
    if (ending === "failed") drafts.push(d.failed("boom"));
    if (ending !== undefined) drafts.push(d.done(drafts.length + 1, ending));
    return drafts;
  });

/** A run's journal, valid and realistic. The log is `r1`. */
export const journals: fc.Arbitrary<RunEvent[]> = runDrafts.map((drafts) => seal("r1", drafts));

const sessionDrafts = fc.array(
  fc.constantFrom<AnyDraft>(
    { type: "title.updated", payload: { title: "Better", source: "model" } },
    { type: "session.updated", payload: { model: "other/model" } },
    { type: "session.updated", payload: { yolo: true, permissions: [], project_id: "p1" } },
    { type: "session.updated", payload: { project_id: null, profile: "other" } },
    { type: "session.rewound", payload: { run_ids: ["r1", "nobody"], reason: "undo" } },
    { type: "goal.updated", payload: { action: "set", status: "active", text: "ship" } },
    { type: "goal.updated", payload: { action: "clear", status: "cleared", text: null } },
    {
      type: "queue.updated",
      payload: { items: [{ run_id: "r2", message_id: "m", text: "later" }] },
    },
    { type: "sun.spots", payload: {} },
  ),
  { maxLength: 6 },
);
export const sessionCreated: Draft = {
  type: "session.created",
  payload: {
    title: "First",
    source: "test",
    workspace: "/w",
    model: "demo/demo",
    profile: "default",
    parent_session_id: null,
  },
};

/** A session `s1` with up to three runs whose events mix, ordered by session_seq. */
export const sessions: fc.Arbitrary<RunEvent[]> = fc
  .tuple(sessionDrafts, fc.array(runDrafts, { minLength: 1, maxLength: 3 }), picks)
  .map(([own, runs, order]) => {
    const logs = runs.map((drafts, index) =>
      drafts.map((draft): Entry => ({ logId: `r${index + 1}`, draft })),
    );
    const sessionLog = own.map((draft): Entry => ({ logId: "s1", draft }));
    const created: Entry = { logId: "s1", draft: sessionCreated };
    return sealAll([created, ...weave([sessionLog, ...logs], order)]);
  });
