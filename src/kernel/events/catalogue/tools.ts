// A tool call's life: intent (nothing has happened), started (something may have), done or unknown.
import { z } from "zod";
import { defineEvent } from "../event.ts";
import { LEFT_OUT, withoutPlanFolder } from "../left-out.ts";

export const Plan = z.object({
  tool: z.string(),
  arguments: z.json(),
  workspace: z.string(),
  schema_hash: z.string().optional(), // of a foreign tool's description: another one is another plan
  files: z.record(z.string(), z.string()).optional(), // what the command executes: SHA-256, "absent" or "folder"
});
export type Plan = z.infer<typeof Plan>;

export const Risk = z.enum(["none", "read", "write", "execute", "network"]);
export type Risk = z.infer<typeof Risk>;

/** Output of any size: what fits, and where the rest is. */
export const BoundedText = z.object({
  head: z.string(),
  tail: z.string(), // empty when head holds everything
  bytes: z.int().nonnegative(),
  sha256: z.string().nullable(), // of all bytes; names the blob when truncated
  truncated: z.boolean(),
});
export type BoundedText = z.infer<typeof BoundedText>;

/** How a call ended. */
const ToolDoneStatus = z.enum([
  "completed",
  "failed",
  "denied",
  "skipped",
  "cancelled",
  "marked_done",
]);
export type ToolDoneStatus = z.infer<typeof ToolDoneStatus>;

export const UNKNOWN_OUTCOME_CHOICES = ["check", "retry", "mark_done", "skip"] as const;

export const TOOL_EVENTS = [
  defineEvent(
    "tool.intent",
    {
      call_id: z.string(),
      turn_id: z.string(),
      index: z.int().nonnegative(),
      provider_call_id: z.string(),
      name: z.string(),
      label: z.string(),
      risk: Risk,
      replay: z.enum(["safe", "ask"]),
      plan: Plan,
      plan_hash: z.string(),
      provider_data: z.json().optional(), // opaque; given back to the same provider with the call
    },
    {
      share: { environment: ({ provider_data: _data, ...p }) => withoutPlanFolder(p) },
      search: true,
      work: "none",
    },
  ),
  /** A person changed the arguments before allowing them: from here on this is the plan. */
  defineEvent(
    "tool.replanned",
    {
      call_id: z.string(),
      plan: Plan,
      plan_hash: z.string(),
      by: z.string(),
    },
    { share: { environment: withoutPlanFolder }, search: true, work: "none" },
  ),
  defineEvent(
    "tool.started",
    {
      call_id: z.string(),
      name: z.string(),
      arguments: z.json(),
      attempt: z.int().positive(),
    },
    { share: "all", search: false, work: "begins" },
  ),
  defineEvent(
    "tool.updated",
    {
      call_id: z.string(),
      channel: z.enum(["stdout", "stderr", "progress"]),
      delta: z.string(),
    },
    { share: { "tool-output": (p) => ({ ...p, delta: "" }) }, search: false, work: "none" },
  ),
  defineEvent(
    "tool.done",
    {
      call_id: z.string(),
      name: z.string(),
      ok: z.boolean(),
      status: ToolDoneStatus,
      result: z.json(),
      output: BoundedText,
      exit_code: z.int().nullable(),
      duration_ms: z.number().nonnegative(),
      error: z.object({ code: z.string(), message: z.string() }).nullable(),
    },
    {
      share: {
        "tool-output": ({ output: { bytes }, ...p }) => ({
          ...p,
          result: null,
          output: { head: LEFT_OUT, tail: "", bytes, sha256: null, truncated: false },
        }),
      },
      search: true,
      work: "none",
    },
  ),
  /** The runner died between `tool.started` and `tool.done`. Never run again without consent. */
  defineEvent(
    "tool.outcome_unknown",
    {
      call_id: z.string(),
      request_id: z.string(),
      name: z.string(),
      message: z.string(),
      choices: z.array(z.enum(UNKNOWN_OUTCOME_CHOICES)),
    },
    { share: "all", search: false, work: "none" },
  ),
] as const;

export const PROCESS_EVENTS = [
  /** A command that goes on behind its call, until it ends, is killed, or its tool host ends. */
  defineEvent(
    "process.started",
    {
      process_id: z.string(),
      call_id: z.string(),
      command: z.string(),
    },
    { share: "all", search: false, work: "none" },
  ),
  /** A person wants it ended, or to read something. The runner that has it does so; what came of it follows. */
  defineEvent(
    "process.asked",
    {
      process_id: z.string(),
      action: z.enum(["kill", "input"]),
      text: z.string().describe("for its standard input; empty when it is to be ended"),
      close: z.boolean().describe("its standard input ends after that"),
    },
    { share: "all", search: false, work: "none" },
  ),
  /** What a background process printed since the last one, at most a few times a second and bounded. */
  defineEvent(
    "process.output",
    {
      process_id: z.string(),
      offset: z.int().nonnegative().describe("bytes it had printed before this text"),
      text: z.string(),
      bytes: z.int().nonnegative().describe("bytes it has printed in all, with this"),
    },
    { share: { "tool-output": (p) => ({ ...p, text: "" }) }, search: false, work: "none" },
  ),
  defineEvent(
    "process.exited",
    {
      process_id: z.string(),
      exit_code: z.int().nullable(),
      signal: z.string().nullable(),
    },
    { share: "all", search: false, work: "none" },
  ),
] as const;
