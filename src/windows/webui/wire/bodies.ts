// What the browser sends. Tolerant: its clients send more than is read, and older ones less.
import { z } from "zod";
import { APPROVAL_CHOICES } from "../../../kernel/events/catalogue/human.ts";
import { RunId, SessionId } from "../../../kernel/events/ids.ts";

const session_id = z.string({ error: "is required" }).pipe(SessionId);
const Words = z
  .string({ error: "is required" })
  .refine((text) => text.trim() !== "", { error: "is required" });
const optionalName = z.string().max(200).nullish();

/** As the page keeps them after an upload: by name, or with what is known of the file. */
const GivenAttachment = z.union([
  z.string().min(1).max(4_096),
  z.looseObject({
    name: z.string().max(4_096).nullish(),
    filename: z.string().max(4_096).nullish(),
    path: z.string().max(4_096).nullish(),
    mime: z.string().max(200).nullish(),
    media_type: z.string().max(200).nullish(),
    size: z.int().nonnegative().nullish(),
    sha256: z.string().max(128).nullish(),
  }),
]);
export type GivenAttachment = z.infer<typeof GivenAttachment>;

export const WebuiStart = z.looseObject({
  session_id,
  message: Words,
  model: optionalName,
  model_provider: optionalName,
  provider: optionalName, // as the run contract calls it
  workspace: z.string().max(4_096).nullish(),
  profile: optionalName,
  attachments: z.array(GivenAttachment).max(20, "at most 20 attachments").nullish(),
  source: optionalName,
  toolsets: z.array(z.string().min(1).max(200)).max(50).nullish(),
  metadata: z.record(z.string().max(200), z.json()).nullish(),
  project_id: z.string().max(128).nullish(),
  message_id: z.string().nullish(),
  regenerate: z.boolean().nullish(),
});
export type WebuiStart = z.infer<typeof WebuiStart>;

export const WebuiCancel = z.looseObject({ stream_id: z.string().nullish() });

export const WebuiSteer = z.looseObject({
  session_id,
  text: Words,
  message_id: z.string().nullish(),
});

export const WebuiApproval = z.looseObject({
  session_id,
  choice: z.enum(APPROVAL_CHOICES, {
    error: ({ input }) => `Invalid choice: ${String(input).slice(0, 100)}`,
  }),
  approval_id: z.string().max(300).nullish(),
  run_id: RunId.nullish(),
  feedback: z.string().max(8_192).nullish(),
  yolo: z.boolean().nullish(),
});
export type WebuiApproval = z.infer<typeof WebuiApproval>;

const answer = z.string().max(65_536).nullish();

export const WebuiClarify = z
  .looseObject({
    session_id,
    clarify_id: z.string().max(300).nullish(),
    run_id: RunId.nullish(),
    response: answer,
    answer,
    choice: answer,
  })
  .refine(({ response, answer: said, choice }) => (response ?? said ?? choice ?? "") !== "", {
    error: "response is required",
  });

export const WebuiGoal = z.looseObject({
  session_id,
  action: z.enum(["set", "edit", "pause", "resume", "clear", "status"]).nullish(),
  args: z.string().max(16_384).nullish(),
  text: z.string().max(16_384).nullish(),
  kickoff: z.boolean().nullish(), // false: only the goal, no turn
});
export type WebuiGoal = z.infer<typeof WebuiGoal>;
