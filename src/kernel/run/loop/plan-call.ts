// Turns a model's request into an exact plan with a hash, before anything happens. Unknown tools and invalid
// arguments become failed calls that the model can read; nothing is parsed a second time with laxer rules (B3).
import { planHash } from "../../journal/admit/plan-hash.ts";
import type { Redactor } from "../../redact/redact.ts";
import { redactValue } from "../../redact/draft.ts";
import type { Plan } from "../../events/catalogue/tools.ts";
import type { ToolCall } from "../../events/catalogue/output.ts";
import type { Draft } from "../../events/events.ts";
import type { ModelPart } from "../models/model.ts";
import { NO_OUTPUT, type Tool } from "../tools/tool.ts";
import type { Toolset } from "../tools/toolset.ts";

export type PlannedCall = { toolCall: ToolCall; drafts: Draft[] };
type Json = Plan["arguments"];

export function planCall(
  call: Omit<Extract<ModelPart, { type: "tool_call" }>, "type">,
  at: {
    turnId: string;
    index: number;
    workspace: string;
    tools: Toolset["tools"];
    redactor?: Redactor | undefined;
  },
): PlannedCall {
  const call_id = `${at.turnId}.c${at.index}`;
  const name = call.name.slice(0, 200);
  const toolCall = { call_id, name, arguments_text: call.argumentsText };
  const found = at.tools.get(name);
  const tool = found?.internal ? undefined : found;
  const parsed = parseArguments(tool, call);
  // As it is stored: a hash of what is not shown would bind an approval to something else.
  const plan: Plan = {
    tool: name,
    arguments: storedForm(parsed.arguments, at.redactor),
    workspace: at.workspace,
    ...(tool?.schemaHash !== undefined && { schema_hash: tool.schemaHash }),
  };
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
      ...(call.providerData !== undefined && { provider_data: call.providerData }),
    },
  };
  if (!parsed.problem) return { toolCall, drafts: [intent] };
  return { toolCall, drafts: [intent, refused(call_id, name, parsed.problem)] };
}

function storedForm(value: Json, redactor: Redactor | undefined): Json {
  return redactor ? (redactValue(value, redactor.text) as Json) : value;
}

/** Of arguments that a tool does not take: windows show what the model wrote. */
const MAX_REFUSED_CHARS = 65_536;

type Parsed = { arguments: Json; problem?: { code: string; message: string } };

function parseArguments(
  tool: Tool | undefined,
  { name, argumentsText }: { name: string; argumentsText: string },
): Parsed {
  const raw = { raw: argumentsText.slice(0, MAX_REFUSED_CHARS) };
  let value: unknown;
  try {
    value = JSON.parse(argumentsText === "" ? "{}" : argumentsText, (_key, part: unknown) =>
      typeof part === "string" ? part.toWellFormed() : part,
    );
  } catch (error) {
    if (!tool) return refuse(raw, "unknown_tool", noSuchTool(name));
    return refuse(raw, "invalid_arguments", `Not JSON: ${(error as Error).message}`);
  }
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  const shown = isObject && argumentsText.length <= MAX_REFUSED_CHARS ? (value as Json) : raw;
  if (!tool) return refuse(shown, "unknown_tool", noSuchTool(name));
  const result = tool.input.safeParse(value);
  if (result.success) return { arguments: result.data as Json };
  const why = result.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
  return refuse(shown, "invalid_arguments", why.join("; ").slice(0, 1_000));
}

const noSuchTool = (name: string) => `There is no tool named “${name}”.`;

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
