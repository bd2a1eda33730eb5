// Turns what a model asked for into an exact plan with a hash, before anything happens. Unknown
// tools and broken arguments become failed calls the model can read, never a second, laxer parse (B3).
import { hash } from "node:crypto";
import type { Plan } from "../protocol/catalogue/tools.ts";
import type { ToolCall } from "../protocol/catalogue/output.ts";
import type { Draft } from "../protocol/events.ts";
import { NO_OUTPUT, type Tool } from "./tools/tool.ts";
import { TOOLS } from "./tools/registry.ts";

export type PlannedCall = { toolCall: ToolCall; drafts: Draft[] };
type Json = Plan["arguments"];

export function planCall(
  call: { providerCallId: string; name: string; argumentsText: string },
  at: { turnId: string; index: number; workspace: string },
): PlannedCall {
  const call_id = `${at.turnId}.c${at.index}`;
  const name = call.name.slice(0, 200);
  const toolCall = { call_id, name, arguments_text: call.argumentsText };
  const tool = TOOLS.get(name);
  const parsed = parseArguments(tool, call);
  const plan: Plan = { tool: name, arguments: parsed.arguments, workspace: at.workspace };
  const intent: Draft = {
    type: "tool.intent",
    payload: {
      call_id,
      turn_id: at.turnId,
      index: at.index,
      provider_call_id: call.providerCallId.slice(0, 200),
      name,
      label: tool && !parsed.problem ? tool.label(parsed.arguments).slice(0, 2_000) : name,
      risk: tool?.risk ?? "none",
      replay: tool?.replay ?? "safe",
      plan,
      plan_hash: planHash(plan),
    },
  };
  if (!parsed.problem) return { toolCall, drafts: [intent] };
  return { toolCall, drafts: [intent, refused(call_id, name, parsed.problem)] };
}

/** The same plan has the same hash whatever the order of its keys. */
export function planHash(plan: Plan): string {
  return hash("sha256", canonical(plan));
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value) ?? "null";
  const entries = Object.entries(value)
    .filter(([, part]) => part !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, part]) => `${JSON.stringify(key)}:${canonical(part)}`);
  return `{${entries.join(",")}}`;
}

type Parsed = { arguments: Json; problem?: { code: string; message: string } };

function parseArguments(
  tool: Tool | undefined,
  { name, argumentsText }: { name: string; argumentsText: string },
): Parsed {
  const raw = { raw: argumentsText.slice(0, 65_536) };
  if (!tool) return refuse(raw, "unknown_tool", `There is no tool named “${name}”.`);
  let value: unknown;
  try {
    value = JSON.parse(argumentsText === "" ? "{}" : argumentsText, (_key, part: unknown) =>
      typeof part === "string" ? part.toWellFormed() : part,
    );
  } catch (error) {
    return refuse(raw, "invalid_arguments", `Not JSON: ${(error as Error).message}`);
  }
  const result = tool.input.safeParse(value);
  if (result.success) return { arguments: result.data as Json };
  const why = result.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
  return refuse(raw, "invalid_arguments", why.join("; ").slice(0, 1_000));
}

function refuse(raw: Json, code: string, message: string): Parsed {
  return { arguments: raw, problem: { code, message } };
}

function refused(call_id: string, name: string, error: { code: string; message: string }): Draft {
  return {
    type: "tool.done",
    payload: {
      call_id,
      name,
      ok: false,
      status: "failed",
      result: null,
      output: NO_OUTPUT,
      exit_code: null,
      duration_ms: 0,
      error,
    },
  };
}
