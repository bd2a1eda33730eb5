// What a person or program may ask for, and the bounded answers. A command never answers with run
// state: what it changed comes as events (rule C1).
import { z } from "zod";
import { Attachment } from "./catalogue/lifecycle.ts";
import { ApprovalChoice } from "./catalogue/human.ts";
import { ClientKey, RunId, SessionId } from "./ids.ts";

const Text = z.string().min(1, "must not be empty").max(131_072, "at most 131,072 characters");
const Name = z.string().min(1).max(200);
const Path = z.string().min(1).max(4_096);
const Metadata = z.record(z.string().max(200), z.json());

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
  feedback: z.string().max(8_192).optional(),
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
  message_id: ClientKey.optional(),
});
export type QueueMessage = z.infer<typeof QueueMessage>;

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
});
export type CreateSession = z.infer<typeof CreateSession>;

export const UpdateTitle = z.strictObject({ title: z.string().min(1).max(500) });
export type UpdateTitle = z.infer<typeof UpdateTitle>;

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
