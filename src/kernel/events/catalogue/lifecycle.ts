// Sessions, runs and turns: who is running what, and how it ended.
import { z } from "zod";
import { defineEvent } from "../event.ts";
import { RUNNER, folderName } from "../left-out.ts";
import { Rule } from "./permissions.ts";
import { ImportedFrom } from "../recording-file.ts";
import { CONTROLS, RUN_STATUSES } from "../../state/run/status.ts";

const Control = z.enum(CONTROLS);
const RunStatus = z.enum(RUN_STATUSES);

export const Usage = z.object({
  input_tokens: z.int().nullable(), // null: the provider did not say
  output_tokens: z.int().nullable(),
  total_tokens: z.int().nullable(),
  reasoning_tokens: z.int().nullable(),
  cached_tokens: z.int().nullable(),
  cost_usd: z.number().nullable(), // null: price unknown
});
export type Usage = z.infer<typeof Usage>;

export const RunFailure = z.object({ code: z.string(), message: z.string() });
export type RunFailure = z.infer<typeof RunFailure>;

export const Attachment = z.object({
  name: z.string(),
  media_type: z.string(),
  sha256: z.string().optional(),
  bytes: z.int().nonnegative().optional(),
});
export type Attachment = Readonly<z.infer<typeof Attachment>>;

/** Something said before the session began, in a window that keeps its own conversation. */
export const HistoryMessage = z.strictObject({
  role: z.enum(["user", "assistant"]),
  text: z.string().max(131_072),
});
export type HistoryMessage = z.infer<typeof HistoryMessage>;

/** What reaching makes a run ask a person. Null: no limit. Of a whole subtree: subagents count. */
export const Budget = z.object({
  tokens: z.int().positive().nullable(),
  cost_usd: z.number().positive().nullable(),
  wall_s: z.number().positive().nullable(),
  tool_calls: z.int().positive().nullable(),
});
export type Budget = z.infer<typeof Budget>;

/** A project as it was when the run was queued: a replay shows what the run was really told. */
export const ProjectContext = z.object({
  project_id: z.string(),
  name: z.string(),
  instructions: z.string().nullable(),
  metadata: z.record(z.string(), z.json()),
});
export type ProjectContext = z.infer<typeof ProjectContext>;

/** loaded: its text is told with every turn. off: neither offered nor read. Otherwise it is offered by name. */
export const SkillState = z.enum(["loaded", "off"]);
export type SkillState = z.infer<typeof SkillState>;

/** What decides about a run's calls besides the program itself. Null: too many rules to record. */
export const RunPolicy = z.object({
  rules: z.array(Rule).nullable(),
  budget: Budget.nullable(), // of the profile
});
export type RunPolicy = z.infer<typeof RunPolicy>;

export const LIFECYCLE_EVENTS = [
  defineEvent(
    "session.created",
    {
      title: z.string(),
      source: z.string(),
      workspace: z.string(),
      model: z.string(),
      profile: z.string(),
      parent_session_id: z.string().nullable(),
      project_id: z.string().nullable().optional(),
      /** The conversation up to and with this event of the parent session is this session's past. */
      branched_from: z
        .object({ session_id: z.string(), run_id: z.string(), seq: z.int().positive() })
        .nullable()
        .optional(),
      imported_from: ImportedFrom.optional(), // a recording from elsewhere: it is shown, and nothing runs here
    },
    {
      share: { environment: (p) => ({ ...p, workspace: folderName(p.workspace) }) },
      search: false,
      work: "none",
    },
  ),
  defineEvent(
    "session.updated",
    {
      model: z.string().optional(),
      workspace: z.string().optional(),
      profile: z.string().optional(),
      project_id: z.string().nullable().optional(),
      yolo: z.boolean().optional(), // everything that would be asked is allowed; deny rules still deny
      permissions: z.array(Rule).optional(), // the session's own rules, as a whole
      deleted: z.boolean().optional(), // out of every list; nothing is destroyed
      pinned: z.boolean().optional(), // above the others in every list
      dismissed_run_id: z.string().optional(), // how it ended has been seen: it leaves the inbox
      skills: z.record(z.string(), SkillState).optional(), // those that are not just offered, as a whole
    },
    {
      share: {
        environment: ({ workspace, permissions: _rules, ...p }) => ({
          ...p,
          ...(workspace !== undefined && { workspace: folderName(workspace) }),
        }),
      },
      search: false,
      work: "none",
    },
  ),
  /** These runs no longer count for the conversation. They stay readable. */
  defineEvent(
    "session.rewound",
    {
      run_ids: z.array(z.string()),
      reason: z.enum(["undo", "retry", "edit", "aside"]), // aside: it never was to count
    },
    { share: "all", search: false, work: "none" },
  ),
  defineEvent(
    "title.updated",
    {
      title: z.string(),
      source: z.enum(["prompt", "model", "user"]),
      confidence: z.number().optional(),
    },
    { share: "all", search: false, work: "none" },
  ),
  defineEvent(
    "message.user",
    {
      message_id: z.string(),
      text: z.string(),
      mode: z.enum(["start", "queue", "steer", "goal"]), // goal: said by the standing goal, not a person
      attachments: z.array(Attachment),
    },
    { share: "all", search: true, work: "none" },
  ),
  /** Before a model read it, its writer changed it (or took it back: null). */
  defineEvent(
    "message.edited",
    {
      message_id: z.string(),
      text: z.string().nullable(),
    },
    { share: "all", search: false, work: "none" },
  ),
  defineEvent(
    "run.queued",
    {
      message_id: z.string(),
      model: z.string(),
      workspace: z.string(),
      profile: z.string(),
      source: z.string(),
      toolsets: z.array(z.string()),
      instructions: z.string().nullable(),
      metadata: z.record(z.string(), z.json()),
      parent_run_id: z.string().nullable(),
      root_run_id: z.string(),
      depth: z.int().nonnegative(),
      project: ProjectContext.nullable().optional(),
      budget: Budget.nullable().optional(),
      history: z.array(HistoryMessage).optional(), // for the model, instead of the session's past
    },
    {
      share: {
        environment: (p) => ({
          ...p,
          workspace: folderName(p.workspace),
          metadata: {},
          ...(p.project && { project: { ...p.project, metadata: {} } }),
        }),
      },
      search: false,
      work: "offers",
    },
  ),
  defineEvent(
    "run.started",
    {
      runner_id: z.string(),
      model: z.string(),
      workspace: z.string(),
      profile: z.string(),
      toolsets: z.array(z.string()),
      sandbox: z.enum(["none", "bubblewrap"]),
      controls: z.array(Control),
    },
    {
      share: {
        environment: (p) => ({ ...p, workspace: folderName(p.workspace), runner_id: RUNNER }),
      },
      search: false,
      work: "begins",
    },
  ),
  defineEvent(
    "status",
    {
      status: RunStatus,
      reason: z.string().nullable(),
      controls: z.array(Control),
    },
    { share: "all", search: false, work: "begins" },
  ),
  defineEvent(
    "turn.started",
    {
      turn_id: z.string(),
      index: z.int().positive(),
      attempt: z.int().positive(),
      model: z.string(),
      policy: RunPolicy.optional(), // of a run's first turn, where there is one
    },
    { share: { environment: ({ policy: _policy, ...p }) => p }, search: false, work: "begins" },
  ),
  defineEvent(
    "turn.completed",
    {
      turn_id: z.string(),
      finish_reason: z.string(),
    },
    { share: "all", search: false, work: "none" },
  ),
  /** The turn was cut (crash, model error). What it showed stays, marked; it counts for nothing. */
  defineEvent(
    "turn.superseded",
    {
      turn_id: z.string(),
      reason: z.enum(["runner_lost", "model_error", "cancelled"]),
      message: z.string(),
    },
    { share: "all", search: true, work: "none" },
  ),
] as const;

export const ENDING_EVENTS = [
  /** `handed_over`: the runner before let go of the run in order. Nothing was lost, and it is no attempt. */
  defineEvent(
    "recovery",
    {
      attempt: z.int().positive(),
      handed_over: z.boolean().optional(),
      previous_runner_id: z.string().nullable(),
      runner_id: z.string(),
      message: z.string(),
    },
    {
      share: { environment: (p) => ({ ...p, previous_runner_id: null, runner_id: RUNNER }) },
      search: false,
      work: "none",
    },
  ),
  defineEvent(
    "error",
    {
      code: z.string(),
      message: z.string(),
      retryable: z.boolean(),
      terminal: z.boolean().optional(), // the run ends with it: its `done` follows
      details: z.json().optional(), // what helps to find out why; without secrets
    },
    { share: "all", search: true, work: "none" },
  ),
  defineEvent(
    "done",
    {
      status: z.enum(["completed", "failed", "cancelled", "expired"]),
      result: z.string().nullable(),
      error: RunFailure.nullable(),
      usage: Usage,
      last_seq: z.int().positive(),
    },
    { share: "all", search: false, work: "offers" },
  ),
] as const;
