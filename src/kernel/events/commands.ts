// What a person or program may ask for, and the bounded answers. A command never answers with run
// state: what it changed comes as events (rule C1).
import { z } from "zod";
import { MAX_MESSAGE_CHARACTERS } from "./attachment-limits.ts";
import { Attachment, Budget, HistoryMessage } from "./catalogue/lifecycle.ts";
import { Rule } from "./catalogue/permissions.ts";
import { ApprovalChoice } from "./catalogue/human.ts";
import { ClientKey, ProjectId, RunId, SessionId } from "./ids.ts";

const Text = z
  .string()
  .min(1, "must not be empty")
  .max(MAX_MESSAGE_CHARACTERS, "at most 131,072 characters");
const Name = z.string().min(1).max(200);
const Path = z.string().min(1).max(4_096);
const Sha256 = z.string().regex(/^[0-9a-f]{64}$/, "a SHA-256 in hex");
const Metadata = z.record(z.string().max(200), z.json());

const History = z.array(HistoryMessage).max(500);

export const StartRun = z.strictObject({
  session_id: SessionId.optional(), // created when there is none of that name
  message: Text,
  message_id: ClientKey.optional(), // makes a repeated start a duplicate, not a second run
  attachments: z.array(Attachment).max(20).optional(),
  workspace: Path.optional(),
  profile: Name.optional(),
  provider: Name.optional(),
  model: Name.optional(), // "provider/model" or, with `provider`, the bare name
  toolsets: z.array(Name).max(50).optional(),
  source: Name.optional(),
  instructions: z.string().max(65_536).optional(),
  metadata: Metadata.optional(),
  project_id: ProjectId.optional(),
  aside: z.boolean().optional(), // knows the conversation and is no part of it
  history: History.optional(), // what was said elsewhere; for the model it replaces the session's past
  budget: Budget.partial().optional(), // over the profile's; what is left out keeps its limit
});
export type StartRun = z.infer<typeof StartRun>;

export const CancelRun = z.strictObject({
  reason: z.string().max(500).optional(),
  command_id: ClientKey.optional(),
});
export type CancelRun = z.infer<typeof CancelRun>;

export const RespondApproval = z.strictObject({
  choice: ApprovalChoice,
  plan_hash: z.string().max(128).optional(), // when given it must be the plan that was shown
  feedback: z.string().max(8_192).optional(), // reaches the model, with a denial and with a yes
  arguments: z.json().optional(), // edited by the person: a new plan, allowed once and never more
  pattern: z.int().min(0).max(9).optional(), // with "always": which of the wider rules, if not the exact one
  command_id: ClientKey.optional(),
});
export type RespondApproval = z.infer<typeof RespondApproval>;

export const RespondClarify = z.strictObject({
  response: z.string().min(1).max(65_536),
  command_id: ClientKey.optional(),
});
export type RespondClarify = z.infer<typeof RespondClarify>;

export const QueueMessage = z.strictObject({
  message: Text,
  mode: z.enum(["queue", "steer"]).default("queue"),
  attachments: z.array(Attachment).max(20).optional(),
  message_id: ClientKey.optional(),
});
export type QueueMessage = z.infer<typeof QueueMessage>;

/** Of a queued message, or of a steer no model has read yet. Null takes it back. */
export const EditMessage = z.strictObject({
  text: Text.nullable(),
  command_id: ClientKey.optional(),
});
export type EditMessage = z.infer<typeof EditMessage>;

/** Moves a queued run directly before another queued one; null: to the end. */
export const MoveQueued = z.strictObject({
  before: RunId.nullable(),
  command_id: ClientKey.optional(),
});
export type MoveQueued = z.infer<typeof MoveQueued>;

/** Leaves the newest exchange out of the conversation, or everything from `run_id` on. With `files`, rolls their writes back too. */
export const Undo = z.strictObject({
  run_id: RunId.optional(),
  files: z.boolean().optional(),
  command_id: ClientKey.optional(),
});
export type Undo = z.infer<typeof Undo>;

/** The newest exchange once more, with the same words. */
export const Retry = z.strictObject({
  files: z.boolean().optional(),
  model: Name.optional(),
  command_id: ClientKey.optional(),
});
export type Retry = z.infer<typeof Retry>;

/** From this run on everything is left out, and its message is said again in other words. */
export const Rerun = z.strictObject({
  message: Text,
  files: z.boolean().optional(),
  message_id: ClientKey.optional(),
});
export type Rerun = z.infer<typeof Rerun>;

/** A new session whose past is this one's up to `seq` of `run_id` (default: all of it). */
export const Branch = z.strictObject({
  run_id: RunId.optional(),
  seq: z.int().positive().optional(),
  session_id: SessionId.optional(),
  title: z.string().min(1).max(500).optional(),
  files: z.boolean().optional(), // roll the agent's later writes back in the workspace
  command_id: ClientKey.optional(),
});
export type Branch = z.infer<typeof Branch>;

/** Summarise the conversation so far; what is summarised stays readable. */
export const Compress = z.strictObject({
  focus: z.string().max(2_000).optional(),
  command_id: ClientKey.optional(),
});
export type Compress = z.infer<typeof Compress>;

/** Roll back what a run, a session or one checkpoint's call did to files. Only the agent's writes. */
export const Rollback = z.strictObject({
  run_id: RunId.optional(),
  checkpoint_id: z.string().max(300).optional(),
  paths: z.array(Path).min(1).max(1_000).optional(), // only these files
  preview: z.boolean().optional(), // says what would happen, and what stands in the way
  command_id: ClientKey.optional(),
});
export type Rollback = z.infer<typeof Rollback>;

/** A person's own content for a file. `expect`: only if it still has this hash (null: only if there is none). */
export const SaveFile = z.strictObject({
  path: Path,
  content: z.string().max(1_048_576, "at most 1 MiB"),
  expect: Sha256.nullable().optional(),
  command_id: ClientKey.optional(),
});
export type SaveFile = z.infer<typeof SaveFile>;
/** The same, when the content is in the blob store. */
export type SaveBlob = Omit<SaveFile, "content"> & {
  readonly sha256: string;
  readonly bytes: number;
};

/** A person's own command in the session's workspace. */
export const RunCommand = z.strictObject({
  command: z.string().min(1).max(32_768),
  cwd: Path.optional(), // inside the workspace
  timeout_s: z.int().min(1).max(3_600).optional(),
  network: z.boolean().optional(),
  command_id: ClientKey.optional(),
});
export type RunCommand = z.infer<typeof RunCommand>;

/** For a command in the background: text for its standard input, and whether that ends with it. */
export const ProcessInput = z.strictObject({
  text: z.string().max(65_536),
  close: z.boolean().optional(),
  command_id: ClientKey.optional(),
});
export type ProcessInput = z.infer<typeof ProcessInput>;
export const KillProcess = z.strictObject({ command_id: ClientKey.optional() });
export type KillProcess = z.infer<typeof KillProcess>;

export const UpdateSession = z.strictObject({
  model: Name.optional(),
  profile: Name.optional(),
  workspace: Path.optional(),
  project_id: ProjectId.nullable().optional(),
  yolo: z.boolean().optional(),
  permissions: z.array(Rule).max(500).optional(),
  deleted: z.boolean().optional(), // out of every list; its runs are stopped. False brings it back
  pinned: z.boolean().optional(),
  dismissed_run_id: RunId.optional(), // takes an ended run out of the inbox
  command_id: ClientKey.optional(),
});
export type UpdateSession = z.infer<typeof UpdateSession>;

const project = {
  name: z.string().min(1).max(200),
  workspace: Path.nullable(),
  profile: Name.nullable(),
  model: Name.nullable(),
  instructions: z.string().max(65_536).nullable(),
  metadata: Metadata,
  permissions: z.array(Rule).max(500),
  budget: Budget.nullable(),
};
/** Defaults for its sessions. What is left out is empty. */
export const CreateProject = z.strictObject({
  project_id: ProjectId.optional(),
  ...z.object(project).partial().shape,
  name: project.name,
});
export type CreateProject = z.infer<typeof CreateProject>;
export const UpdateProject = z.object(project).partial().strict();
export type UpdateProject = z.infer<typeof UpdateProject>;

export const UpdateGoal = z.strictObject({
  action: z.enum(["set", "edit", "pause", "resume", "clear", "status"]),
  text: z.string().min(1).max(8_192).optional(),
  command_id: ClientKey.optional(),
});
export type UpdateGoal = z.infer<typeof UpdateGoal>;

export const CreateSession = z.strictObject({
  session_id: SessionId.optional(),
  title: z.string().max(500).optional(),
  workspace: Path.optional(),
  model: Name.optional(),
  profile: Name.optional(),
  source: Name.optional(),
  project_id: ProjectId.optional(),
});
export type CreateSession = z.infer<typeof CreateSession>;

/** What a session does with one skill; `offered` is what it does with any other. */
export const SetSkill = z.strictObject({
  name: z.string().min(1).max(64),
  state: z.enum(["loaded", "off", "offered"]),
});
export type SetSkill = z.infer<typeof SetSkill>;

export const UpdateTitle = z.strictObject({ title: z.string().min(1).max(500) });
export type UpdateTitle = z.infer<typeof UpdateTitle>;

/** What a text-only device says. */
export const ChannelText = z.strictObject({
  session_id: SessionId,
  message_id: z.string().min(1).max(1_100), // of any characters: devices make ids of their names
  text: Text,
  attachments: z.array(Attachment).max(20).optional(), // of a new run: an answer has none
  source: Name,
  title: z.string().max(500).optional(), // of a new session
  metadata: Metadata.optional(),
  /** The request these words may answer; null: none was asked. Left out: whichever waits. */
  answers: z.string().max(300).nullable().optional(),
  by: z.string().min(1).max(300).optional(), // who answers with it; a terminal when left out
  unanswered: z.enum(["ask_again", "queue"]).optional(), // words that answer nothing; left out: the request once more
});
export type ChannelText = z.infer<typeof ChannelText>;

export const OUTCOMES = [
  "accepted",
  "duplicate",
  "not_active",
  "expired",
  "conflict",
  "unsupported",
] as const;

/** The seed's ControlResult. Too late or twice is an answer, not an error: clients race by design. */
export const Outcome = z.object({
  accepted: z.boolean(), // true when the wish holds now: accepted, or a duplicate of what was
  status: z.enum(OUTCOMES),
  run_id: RunId.nullable(),
  session_id: SessionId.nullable(),
  event_id: z.string().nullable(), // the event the command became
  safe_message: z.string(),
  payload: z.json().optional(),
});
export type Outcome = z.infer<typeof Outcome>;
