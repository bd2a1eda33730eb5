// What each event does to a run's state. Handlers get a fresh shallow copy and assign to it.
import { eventTable } from "../../events/event-table.ts";
import type { PayloadOf } from "../../events/events.ts";
import { humanCases } from "./cases/human.ts";
import { planCases } from "./cases/plan.ts";
import { toolCases } from "./cases/tool.ts";
import type { Usage } from "../../events/catalogue/lifecycle.ts";
import type { Item, NewItem } from "./items.ts";
import { addItem, closeItem, notice, updateOpen } from "./draft.ts";
import type { RunDraft } from "./state.ts";
import { get, set } from "../vector.ts";

const ignore = () => {};

export const runCases = eventTable<[draft: RunDraft], void>()({
  ...toolCases,
  ...humanCases,
  ...planCases,

  // These belong to the session's own log; session-state reads them.
  "session.*": ignore,
  "title.*": ignore,
  "queue.*": ignore,
  "goal.*": ignore,
  received: ignore,

  "message.user": ({ payload, created_at }, draft) => {
    const { turn } = draft;
    const busy = turn?.phase === "model" || turn?.phase === "tools";
    addItem(draft, {
      kind: "user",
      messageId: payload.message_id,
      text: payload.text,
      mode: payload.mode,
      attachments: payload.attachments,
      duringTurn: busy ? turn.turnId : null,
      retracted: false,
      at: created_at,
    });
  },

  // A message is read by the next turn: as long as it can be edited it is among the newest items.
  "message.edited": ({ payload }, draft) => {
    for (let index = draft.items.length - 1; index >= 0; index--) {
      const item = get(draft.items, index);
      if (item?.kind !== "user" || item.messageId !== payload.message_id) continue;
      const text = payload.text ?? "";
      draft.items = set<Item>(draft.items, index, {
        ...item,
        text,
        retracted: payload.text === null,
      });
      return;
    }
  },

  "run.queued": ({ payload }, draft) => {
    draft.status = "queued";
    draft.model = payload.model;
    draft.workspace = payload.workspace;
    draft.profile = payload.profile;
    draft.instructions = payload.instructions;
    draft.parentRunId = payload.parent_run_id;
    draft.rootRunId = payload.root_run_id;
    draft.toolsets = payload.toolsets;
    draft.metadata = payload.metadata;
    draft.project = payload.project ?? null;
    draft.budget = payload.budget ?? null;
    draft.history = payload.history?.length ? payload.history : null;
    draft.depth = payload.depth;
  },

  "run.started": ({ payload, created_at }, draft) => {
    draft.status = "running";
    draft.startedAt ??= created_at;
    draft.runnerId = payload.runner_id;
    draft.sandbox = payload.sandbox;
    draft.model = payload.model;
  },

  status: ({ payload }, draft) => {
    draft.status = payload.status;
    draft.statusReason = payload.reason;
  },

  "turn.started": ({ payload }, draft) => {
    const again = draft.turn?.index === payload.index ? draft.turn : null;
    draft.turns = payload.index;
    draft.turn = {
      turnId: payload.turn_id,
      index: payload.index,
      attempt: payload.attempt,
      failures: again?.failures ?? 0,
      firstItem: draft.items.length,
      phase: "model",
    };
  },

  "turn.completed": (_event, draft) => {
    if (draft.turn) draft.turn = { ...draft.turn, phase: "over" };
    draft.recoveries = 0;
  },

  "turn.superseded": ({ payload }, draft) => {
    const { turn } = draft;
    if (!turn || turn.turnId !== payload.turn_id) return;
    for (let index = turn.firstItem; index < draft.items.length; index++) {
      const item = get(draft.items, index);
      if (item?.kind !== "text" && item?.kind !== "reasoning") continue;
      draft.items = set<Item>(draft.items, index, { ...item, superseded: true, status: "done" });
      closeItem(draft, item.kind === "text" ? item.messageId : item.reasoningId);
    }
    const failures = turn.failures + (payload.reason === "model_error" ? 1 : 0);
    draft.turn = { ...turn, failures, phase: "superseded" };
  },

  "token.delta": ({ payload, created_at }, draft) => {
    const known = updateOpen(draft, payload.message_id, (item) =>
      item.kind === "text" ? { ...item, text: item.text + payload.delta } : item,
    );
    if (known) return;
    const text = { messageId: payload.message_id, text: payload.delta, at: created_at };
    addItem(draft, { kind: "text", ...text, ...fresh(draft) }, payload.message_id);
  },

  "message.completed": ({ payload, created_at }, draft) => {
    const known = updateOpen(draft, payload.message_id, (item) =>
      item.kind === "text" ? { ...item, text: payload.text, status: "done" } : item,
    );
    closeItem(draft, payload.message_id);
    if (!known && payload.text !== "") {
      const text = { messageId: payload.message_id, text: payload.text, at: created_at };
      addItem(draft, { kind: "text", ...text, ...fresh(draft), status: "done" });
    }
    if (draft.turn) draft.turn = { ...draft.turn, phase: "tools" };
    if (payload.text !== "") draft.result = payload.text;
  },

  "reasoning.delta": ({ payload, created_at }, draft) => {
    const known = updateOpen(draft, payload.reasoning_id, (item) =>
      item.kind === "reasoning" ? { ...item, text: item.text + payload.delta } : item,
    );
    if (known) return;
    const text = { reasoningId: payload.reasoning_id, text: payload.delta, at: created_at };
    const about = { durationMs: null, providerData: null };
    const item: NewItem = { kind: "reasoning", ...text, ...fresh(draft), ...about };
    addItem(draft, item, payload.reasoning_id);
  },

  "reasoning.done": ({ payload }, draft) => {
    const { text, duration_ms: durationMs, provider_data: providerData = null } = payload;
    updateOpen(draft, payload.reasoning_id, (item) =>
      item.kind === "reasoning"
        ? { ...item, text, status: "done", durationMs, providerData }
        : item,
    );
    closeItem(draft, payload.reasoning_id);
  },

  progress: ({ payload, created_at }, draft) => {
    addItem(draft, notice("info", { code: payload.phase, text: payload.message, at: created_at }));
  },

  compaction: ({ payload, created_at }, draft) => {
    if (!draft.compacting) draft.compactingItems = draft.items.length;
    draft.compacting = payload.phase === "started";
    if (payload.phase !== "completed") return;
    draft.compaction = {
      summary: payload.summary ?? "",
      keptFromTurn: payload.kept_from_turn ?? null,
      items: draft.compactingItems,
    };
    const { context } = draft;
    if (context) draft.context = { ...context, tokens: payload.compacted_tokens };
    const text = `Compressed ${payload.original_tokens} tokens to ${payload.compacted_tokens}.`;
    const detail = payload.summary;
    addItem(draft, notice("info", { code: "compaction", text, detail, at: created_at }));
  },

  "usage.updated": ({ payload }, draft) => {
    draft.usage = addUsage(draft.usage, payload);
    if (payload.input_tokens === null || !/^t\d/.test(payload.turn_id)) return;
    const tokens = payload.input_tokens + (payload.output_tokens ?? 0);
    draft.context = { tokens, window: payload.context_window ?? null };
  },

  "usage.final": ({ payload }, draft) => {
    draft.usage = pickUsage(payload);
  },

  "goal.decided": ({ payload, created_at }, draft) => {
    draft.goalRounds = payload.round;
    const text = `${GOAL_WORDS[payload.decision]}: ${payload.reason}`;
    addItem(draft, notice("info", { code: "goal", text, at: created_at }));
  },

  recovery: ({ payload, created_at }, draft) => {
    draft.runnerId = payload.runner_id;
    const about = { text: payload.message, at: created_at };
    if (payload.handed_over === true) {
      addItem(draft, notice("info", { code: "handover", ...about }));
      return;
    }
    // A run that waits for a person makes no progress by waiting: it must outlive any restart (X8).
    if (Object.keys(draft.pending).length === 0) draft.recoveries += 1;
    addItem(draft, notice("warning", { code: "recovery", ...about }));
  },

  error: ({ payload, created_at }, draft) => {
    draft.error = { code: payload.code, message: payload.message };
    addItem(draft, notice("error", { code: payload.code, text: payload.message, at: created_at }));
  },

  done: ({ payload }, draft) => {
    draft.status = payload.status;
    draft.statusReason = null;
    draft.error = payload.error;
    draft.usage = payload.usage;
    draft.result = payload.result;
    draft.pending = {};
    draft.runnerId = null;
  },
});

const GOAL_WORDS = {
  met: "The goal is met",
  continue: "The goal is not met yet",
  blocked: "The goal cannot be met without you",
} as const;

function fresh(draft: RunDraft) {
  return { turnId: draft.turn?.turnId ?? "", status: "streaming", superseded: false } as const;
}

function addUsage(total: Usage, turn: PayloadOf<"usage.updated">): Usage {
  const add = (a: number | null, b: number | null) => (b === null ? a : (a ?? 0) + b);
  return {
    input_tokens: add(total.input_tokens, turn.input_tokens),
    output_tokens: add(total.output_tokens, turn.output_tokens),
    total_tokens: add(total.total_tokens, turn.total_tokens),
    reasoning_tokens: add(total.reasoning_tokens, turn.reasoning_tokens),
    cached_tokens: add(total.cached_tokens, turn.cached_tokens),
    cost_usd: add(total.cost_usd, turn.cost_usd),
  };
}

function pickUsage(payload: PayloadOf<"usage.final">): Usage {
  const { input_tokens, output_tokens, total_tokens } = payload;
  const { reasoning_tokens, cached_tokens, cost_usd } = payload;
  return { input_tokens, output_tokens, total_tokens, reasoning_tokens, cached_tokens, cost_usd };
}
