// The bodies that the console's clients send. The schemas are loose: clients send more fields than anybody reads, under the
// names of the document and of the real client.
import { z } from "zod";
import { RunId, SessionId } from "../../../kernel/events/ids.ts";

const Words = z
  .string()
  .refine((text) => text.trim() !== "", "must not be empty")
  .nullish();
const Key = z.string().nullish();

/** What makes a repeated command the same command. */
const keys = { message_id: Key, client_message_id: Key, command_id: Key };

const Part = z.looseObject({ type: z.string().optional(), text: z.string() });
const ConsoleMessage = z.looseObject({
  role: z.enum(["user", "assistant"]),
  content: z.union([z.string(), z.array(Part)]),
});
const ConsoleAttachment = z
  .looseObject({
    name: z.string().optional(),
    filename: z.string().optional(),
    media_type: z.string().optional(),
    content_type: z.string().optional(),
    sha256: z.string().optional(),
    file_path: z.string().max(1_000).optional(), // of an upload here, or of the client's own
    bytes: z.int().nonnegative().optional(),
    size: z.int().nonnegative().optional(),
  })
  .refine(({ name, filename }) => (name ?? filename ?? "") !== "", "needs a name");

const asking = {
  ...keys,
  message: Words,
  prompt: Words,
  conversation: z.string().max(200).nullish(),
  conversation_history: z.array(ConsoleMessage).max(500).nullish(),
  runtime_context: z.record(z.string(), z.json()).nullish(),
  instructions: z.string().nullish(),
  ephemeral_system_prompt: z.string().nullish(),
  attachments: z.array(ConsoleAttachment).max(20).nullish(),
  model: z.string().max(300).nullish(),
  provider: z.string().max(100).nullish(), // of a bare `model`
};
export const ConsoleAsk = z
  .looseObject({ ...asking, session_id: SessionId.nullish() })
  .refine(({ message, prompt }) => (message ?? prompt ?? null) !== null, {
    path: ["prompt"],
    message: "say something",
  });
export type ConsoleAsk = z.infer<typeof ConsoleAsk>;

export const ConsoleTarget = z
  .looseObject({ ...keys, session_id: SessionId.nullish(), run_id: RunId.nullish() })
  .refine(({ session_id, run_id }) => (session_id ?? run_id ?? null) !== null, {
    path: ["run_id"],
    message: "name a run_id or a session_id",
  });
export type ConsoleTarget = z.infer<typeof ConsoleTarget>;

export const ConsoleBranch = z.looseObject({
  ...keys,
  at_message_index: z.int().nonnegative().nullish(),
  title: z.string().min(1).max(500).nullish(),
});

export const ConsoleCompress = z.looseObject({
  ...keys,
  session_id: SessionId,
  focus_topic: z.string().max(2_000).nullish(),
  wait_s: z.number().min(0).max(25).optional(), // how long the answer may wait for the result
});

const request_id = z.string().min(1).max(300);
export const ConsoleApprove = z.looseObject({
  ...keys,
  request_id,
  scope: z.string().nullish(),
  decision: z.string().nullish(),
  feedback: z.string().max(8_192).nullish(),
});
export const ConsoleDeny = z.looseObject({
  ...keys,
  request_id,
  feedback: z.string().max(8_192).nullish(),
  response: z.string().max(65_536).nullish(), // of a question: instead of the word for no
});
export const ConsoleClarify = z
  .looseObject({
    ...keys,
    request_id,
    response: z.string().min(1).max(65_536).nullish(),
    answer: z.string().min(1).max(65_536).nullish(),
  })
  .refine(({ response, answer }) => (response ?? answer ?? null) !== null, {
    path: ["response"],
    message: "say something",
  });
export const ConsoleYolo = z.looseObject({ session_id: SessionId, enabled: z.boolean() });

export const ConsoleStream = z.object({
  run_id: RunId.optional(),
  history: z.string().optional(),
  last_event_id: z.string().optional(),
  after_seq: z.string().optional(),
  cursor: z.string().optional(),
});
