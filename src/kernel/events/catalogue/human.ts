// What needs a person, what the person said, and what is waiting behind the running run.
import { z } from "zod";
import { defineEvent } from "../event.ts";
import { withoutPlanFolder } from "../left-out.ts";
import { Rule, WiderRule } from "./permissions.ts";
import { Plan, Risk } from "./tools.ts";

export const APPROVAL_CHOICES = ["once", "session", "always", "deny"] as const;
export const ApprovalChoice = z.enum(APPROVAL_CHOICES);
export type ApprovalChoice = z.infer<typeof ApprovalChoice>;

export const QueueItem = z.object({ run_id: z.string(), message_id: z.string(), text: z.string() });

export const REQUEST_EVENTS = [
  defineEvent(
    "approval.requested",
    {
      approval_id: z.string(),
      call_id: z.string(),
      title: z.string(),
      prompt: z.string(),
      risk: Risk,
      plan: Plan,
      plan_hash: z.string(), // the answer is bound to this plan and to no other
      choices: z.array(ApprovalChoice),
      reason: z.string().optional(), // why it is asked at all
      always: Rule.nullable().optional(), // exactly what "always" would allow from now on
      wider: z.array(WiderRule).optional(), // patterns a person may choose instead
      expires_at: z.number().nullable(),
    },
    { share: { environment: withoutPlanFolder }, search: false, work: "none" },
  ),
  defineEvent(
    "approval.resolved",
    {
      approval_id: z.string(),
      call_id: z.string(),
      choice: ApprovalChoice.nullable(), // null: cancelled or expired, which never means yes
      status: z.enum(["approved", "denied", "expired", "cancelled"]),
      feedback: z.string().nullable(),
      plan_hash: z.string().optional(), // of the plan that was allowed: an edited one differs from the shown
      rule: Rule.optional(), // the wider rule that was chosen with "always"
      by: z.string(),
    },
    { share: "all", search: false, work: "none" },
  ),
  defineEvent(
    "clarify.requested",
    {
      clarify_id: z.string(),
      call_id: z.string().nullable(),
      question: z.string(),
      choices: z.array(z.string()),
      input_mode: z.enum(["choice", "text", "choice_or_text"]),
      expires_at: z.number().nullable(),
    },
    { share: "all", search: false, work: "none" },
  ),
  defineEvent(
    "clarify.resolved",
    {
      clarify_id: z.string(),
      call_id: z.string().nullable(),
      response: z.string().nullable(),
      status: z.enum(["answered", "expired", "cancelled"]),
      by: z.string(),
    },
    { share: "all", search: false, work: "none" },
  ),
] as const;

export const STEERING_EVENTS = [
  defineEvent(
    "queue.updated",
    { items: z.array(QueueItem) },
    { share: "all", search: false, work: "offers" },
  ),
  defineEvent(
    "goal.updated",
    {
      action: z.enum(["set", "edit", "pause", "resume", "clear"]),
      status: z.enum(["active", "paused", "cleared"]),
      text: z.string().nullable(),
    },
    { share: "all", search: false, work: "none" },
  ),
  /** After a turn that ended a run's work: is the standing goal met? `continue` goes on with `next`. */
  defineEvent(
    "goal.decided",
    {
      goal: z.string(),
      decision: z.enum(["met", "continue", "blocked"]),
      reason: z.string(),
      next: z.string().nullable(), // what the agent is told to do next
      round: z.int().positive(), // how often the goal has been looked at in this run
    },
    { share: "all", search: false, work: "none" },
  ),
] as const;

export const CONTROL_EVENTS = [
  /** A control was taken in. Carries no run state: that comes as events of its own. */
  defineEvent(
    "received",
    {
      subtype: z.string(),
      reference: z.string().nullable(),
    },
    { share: "all", search: false, work: "none" },
  ),
] as const;
