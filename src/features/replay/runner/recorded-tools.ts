// The tools of a recorded run: what they plan, how they are called and what they reach for is theirs as it is today;
// what they answer was recorded. Tools that touch nothing but the journal do what they always do.
import { z } from "zod";
import type { PayloadOf } from "../../../kernel/events/events.ts";
import { createDelegateTool } from "../../../kernel/run/tools/delegate.ts";
import { BUILT_IN } from "../../../kernel/run/tools/registry.ts";
import {
  failure,
  type Tool,
  type ToolContext,
  type ToolResult,
} from "../../../kernel/run/tools/tool.ts";
import { namesTool, toolsetOf, type Toolset } from "../../../kernel/run/tools/toolset.ts";
import { createWebFetch } from "../../../kernel/run/tools/web-fetch.ts";
import { createWebSearch } from "../../../kernel/run/tools/web-search.ts";
import type { RunTape } from "./tape.ts";

/** They only write into the journal. */
const REAL: ReadonlySet<string> = new Set(["clarify", "plan", "todo", "delegate"]);

export const CASSETTE_TOOLS: readonly Tool[] = [
  ...BUILT_IN,
  createDelegateTool(null),
  createWebFetch({ allowPrivateHosts: [] }),
  createWebSearch({ endpoint: undefined }),
];

type Answer = (context: ToolContext) => ToolResult;

export function recordedToolset(
  tools: readonly Tool[],
  tape: RunTape,
  answer: Answer = answersOf(tape),
): Toolset {
  const known = tools.map((tool) => (REAL.has(tool.name) ? tool : silenced(tool, answer)));
  const names = new Set(tools.map(({ name }) => name));
  const others = intentsOf(tape)
    .filter(({ name, call_id }) => !names.has(name) && endOf(tape, call_id) !== "unknown_tool")
    .map((intent) => strange(intent, answer));
  const { toolsets } = tape.queued;
  const offered = (name: string) => toolsets.length === 0 || namesTool(toolsets, name);
  const unique = new Map([...known, ...others].map((tool) => [tool.name, tool]));
  return toolsetOf([...unique.values()].filter(({ name, internal }) => internal || offered(name)));
}

/** Without a tool host there are no files to keep: `touches` would ask one. */
function silenced({ touches: _touches, check: _check, ...tool }: Tool, answer: Answer): Tool {
  return { ...tool, execute: async (_input, context) => answer(context) };
}

/** A tool that is not ours, as the recording describes it. */
function strange(intent: PayloadOf<"tool.intent">, answer: Answer): Tool {
  const { name, risk, replay, label, plan } = intent;
  const schema = plan.schema_hash;
  return {
    name,
    description: "",
    input: z.any(),
    risk,
    replay,
    label: () => label,
    ...(schema !== undefined && {
      schemaHash: schema,
      access: () => [{ kind: "foreign" as const, schema }],
    }),
    execute: async (_input, context) => answer(context),
  };
}

function answersOf(tape: RunTape): Answer {
  const done = new Map<string, PayloadOf<"tool.done">>();
  for (const { type, payload } of tape.events) {
    if (type === "tool.done") done.set(payload.call_id, payload);
  }
  return ({ item }) => {
    const recorded = done.get(item.callId);
    if (!recorded) return failure("not_recorded", "The recording has no answer to this call.");
    const { ok, result, output, exit_code: exitCode, error } = recorded;
    return { ok, result, output, exitCode, error };
  };
}

function intentsOf({ events }: RunTape): PayloadOf<"tool.intent">[] {
  return events.flatMap((event) => (event.type === "tool.intent" ? [event.payload] : []));
}

function endOf({ events }: RunTape, callId: string): string | undefined {
  for (const event of events) {
    if (event.type === "tool.done" && event.payload.call_id === callId) {
      return event.payload.error?.code;
    }
  }
  return undefined;
}
