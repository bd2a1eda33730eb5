// What a person or program may ask of a schedule.
import { z } from "zod";
import { CATCH_UPS, OVERLAPS } from "./events.ts";
import { Budget } from "../../kernel/events/catalogue/lifecycle.ts";
import { ClientKey, SessionId } from "../../kernel/events/ids.ts";

const Name = z.string().min(1).max(200);

export const JobId = z
  .string()
  .regex(/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}$/, "letters, digits, '_', '.', '-' (at most 100)");

/** A messenger and, after a colon, where in it; left out: its home channel. */
const Messenger = /^[a-z][a-z0-9_-]{0,31}(:[\x21-\x7e]{1,200})?$/;
const CHANNEL = /^channel:([A-Za-z0-9_][A-Za-z0-9_.-]{0,63}):(.{1,100})$/;

export type Target =
  | { readonly kind: "local" }
  | { readonly kind: "channel"; readonly channelId: string; readonly peerId: string }
  | { readonly kind: "messenger"; readonly platform: string; readonly address: string | null };

/** Where an answer goes. Undefined: nowhere that can be. */
export function targetOf(deliver: string): Target | undefined {
  if (deliver === "local" || deliver === "session") return { kind: "local" };
  const channel = CHANNEL.exec(deliver);
  if (channel) return { kind: "channel", channelId: channel[1] ?? "", peerId: channel[2] ?? "" };
  if (deliver.startsWith("channel:") || !Messenger.test(deliver)) return undefined;
  const [platform = "", ...rest] = deliver.split(":");
  return { kind: "messenger", platform, address: rest.length === 0 ? null : rest.join(":") };
}

const fields = {
  name: Name,
  schedule: z.string().min(1).max(200),
  time_zone: z.string().min(1).max(64).default("UTC"),
  prompt: z.string().max(65_536).default(""),
  skills: z.array(z.string().min(1).max(100)).max(20).default([]),
  deliver: z
    .string()
    .max(300)
    .refine(
      (deliver) => targetOf(deliver) !== undefined,
      "local, channel:<channel>:<peer>, or a messenger such as telegram or slack:C123",
    )
    .default("local"),
  session: z
    .union([z.literal(["new", "own"]), SessionId])
    .default("new")
    .describe("`new`: one each time; `own`: always the job's own; otherwise that session"),
  profile: Name.nullable().default(null),
  model: Name.nullable().default(null),
  workspace: z.string().min(1).max(4_096).nullable().default(null),
  budget: Budget.partial().nullable().default(null),
  catch_up: z.enum(CATCH_UPS).default("last"),
  catch_up_max: z.int().min(1).max(100).default(10),
  overlap: z.enum(OVERLAPS).default("skip"),
  grace_s: z.int().min(0).max(86_400).default(60),
  allow_risky: z.boolean().default(false),
};

export const CreateCronJob = z.strictObject({
  job_id: JobId.optional(),
  ...fields,
  name: Name.optional().describe("left out: how the prompt begins"),
  paused: z.boolean().default(false),
});
export type CreateCronJob = z.infer<typeof CreateCronJob>;

/** What a schedule is called that nobody named. */
export function jobName({ prompt, skills }: Pick<CreateCronJob, "prompt" | "skills">): string {
  const [line = ""] = prompt.trim().split("\n");
  return line.slice(0, 80).trim().toWellFormed() || (skills[0] ?? "");
}

/** What is left out stays as it is. */
export const UpdateCronJob = z.strictObject(
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [
      name,
      (field instanceof z.ZodDefault ? field.unwrap() : field).optional(),
    ]),
  ) as { [Name in keyof typeof fields]: z.ZodOptional<Undefaulted<(typeof fields)[Name]>> },
);
type Undefaulted<Field> = Field extends z.ZodDefault<infer Inner> ? Inner : Field;
export type UpdateCronJob = z.infer<typeof UpdateCronJob>;

/** Once, now, whatever the schedule says. */
export const RunCronJob = z.strictObject({ command_id: ClientKey.optional() });
export type RunCronJob = z.infer<typeof RunCronJob>;
