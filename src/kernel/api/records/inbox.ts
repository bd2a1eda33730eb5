// The answers of the inbox: pending requests, runs that ended badly, and one request by its id.
import { z } from "zod";
import { Rule } from "../../events/catalogue/permissions.ts";
import { Plan, Risk } from "../../events/catalogue/tools.ts";
import { RunId, SessionId } from "../../events/ids.ts";
import { RUN_STATUSES } from "../../state/run/status.ts";

const Seconds = z.number().describe("unix seconds");

export const RequestRecord = z.object({
  request_id: z.string(),
  run_id: RunId,
  session_id: SessionId,
  kind: z.enum(["approval", "clarify", "unknown_outcome"]),
  call_id: z.string().nullable(),
  title: z.string(),
  prompt: z.string(),
  choices: z.array(z.string()),
  plan_hash: z.string().nullable(),
  always: Rule.nullable().describe("what the choice `always` would allow"),
  expires_at: Seconds.nullable(),
  created_at: Seconds,
});
export type RequestRecord = Readonly<z.infer<typeof RequestRecord>>;

/** A request and where it is asked. */
export const InboxRequest = RequestRecord.extend({
  session_title: z.string(),
  run_prompt: z.string().describe("what the run was asked to do"),
  workspace: z.string(),
});
export type InboxRequest = Readonly<z.infer<typeof InboxRequest>>;

/** A run that ended badly and was neither followed by another nor dismissed. */
export const Trouble = z.object({
  run_id: RunId,
  session_id: SessionId,
  title: z.string().describe("the session's"),
  prompt: z.string(),
  status: z.enum(["failed", "expired"]),
  reason: z.string().describe("a code, as in the run's last event"),
  message: z.string(),
  ended_at: Seconds,
});
export type Trouble = Readonly<z.infer<typeof Trouble>>;

export const InboxView = z.object({
  requests: z.array(InboxRequest).describe("newest first"),
  troubles: z.array(Trouble).describe("newest first"),
  truncated: z.boolean().describe("there are more, older ones"),
});
export type InboxView = Readonly<z.infer<typeof InboxView>>;

/** One request, answered or not. */
export const RequestView = z.object({
  request: InboxRequest,
  status: z.enum(["pending", "approved", "denied", "answered", "expired", "cancelled"]),
  answer: z
    .object({
      choice: z.string().nullable(),
      feedback: z.string().nullable(),
      by: z.string(),
      at: Seconds,
    })
    .nullable(),
  reason: z.string().nullable().describe("why it is asked"),
  risk: Risk.nullable(),
  plan: Plan.nullable().describe("what would run"),
  run_status: z.enum(RUN_STATUSES),
  last_text: z.string().nullable().describe("what the agent said last before it"),
});
export type RequestView = Readonly<z.infer<typeof RequestView>>;
