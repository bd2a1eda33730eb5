// How a schedule becomes a run: its session, its words, and the place its answer is owed to. In the transaction that
// decides, so that a decided time and its run are there together or not at all.
import { hash } from "node:crypto";
import type { CronJob } from "../events.ts";
import type { StartRun } from "../../../kernel/events/commands.ts";
import { targetOf } from "../commands.ts";
import { channelSession } from "../../../kernel/dialect/channel-session.ts";
import { ApiError } from "../../../kernel/events/errors.ts";
import type { Defaults } from "../../../kernel/journal/journal.ts";
import { findSession } from "../../../kernel/journal/admit/new-session.ts";
import { createSession, startRun } from "../../../kernel/journal/admit/start-commands.ts";
import type { Transact, Tx } from "../../../kernel/journal/transaction.ts";

export type Occasion = {
  readonly jobId: string;
  readonly job: CronJob;
  readonly messageId: string;
  readonly at: number; // the time it was due, or when a person asked
  readonly why: string; // for the model and for whoever reads the run
};
export type Started =
  | { readonly ok: true; readonly run_id: string; readonly session_id: string }
  /** `isFull`: too much waits in its session already. */
  | { readonly ok: false; readonly problem: string; readonly isFull: boolean };

/** Refusals are answers here: a time that cannot be started is decided all the same. */
export async function startOccasion(
  tx: Tx,
  occasion: Occasion,
  defaults: Defaults,
): Promise<Started> {
  try {
    const session_id = await sessionFor(tx, occasion, defaults);
    const { accepted, run_id, safe_message } = await startRun(within(tx))(
      commandOf(occasion, session_id),
      defaults,
    );
    if (!accepted || run_id === null) return { ok: false, problem: safe_message, isFull: true };
    await oweToDevice(tx, occasion, { session_id, run_id });
    return { ok: true, run_id, session_id };
  } catch (error) {
    if (error instanceof ApiError) return { ok: false, problem: error.message, isFull: false };
    throw error;
  }
}

async function sessionFor(tx: Tx, occasion: Occasion, defaults: Defaults): Promise<string> {
  const { job, at } = occasion;
  const wanted = sessionIdOf(occasion);
  if (wanted !== undefined) await tx.log(wanted); // nobody else decides about it until we are done
  if (wanted !== undefined && (await findSession(tx, wanted))) return wanted;
  const { session_id } = await createSession(within(tx))(
    {
      ...(wanted !== undefined && { session_id: wanted }),
      title: wanted === undefined ? `${job.name}, ${localTime(at, job.time_zone)}` : job.name,
      source: "cron",
      ...(job.workspace !== null && { workspace: job.workspace }),
      ...(job.profile !== null && { profile: job.profile }),
      ...(job.model !== null && { model: job.model }),
    },
    defaults,
  );
  if (session_id === null) throw new Error("a session was opened without an id");
  return session_id;
}

function sessionIdOf({ jobId, job }: Occasion): string | undefined {
  const target = targetOf(job.deliver);
  if (target?.kind === "channel") {
    const { channelId, peerId } = target;
    return channelSession(channelId, { peerId }, (text) => hash("sha256", text, "base64url"));
  }
  if (job.session === "new") return undefined;
  return job.session === "own" ? `cron-${jobId}` : job.session;
}

function commandOf({ jobId, job, messageId, at, why }: Occasion, session_id: string): StartRun {
  const { prompt, skills, model, profile, workspace, budget } = job;
  return {
    session_id,
    message: prompt.trim() === "" ? `Use ${skills.join(", ")}.` : prompt,
    message_id: messageId,
    source: "cron",
    instructions: instructionsOf(job, { at, why }),
    metadata: { cron_job_id: jobId, cron_at: at },
    ...(model !== null && { model }),
    ...(profile !== null && { profile }),
    ...(workspace !== null && { workspace }),
    ...(budget !== null && { budget }),
  };
}

function instructionsOf(job: CronJob, { at, why }: Pick<Occasion, "at" | "why">): string {
  const lines = [
    `This run was started by the schedule “${job.name}” (${why}, ${localTime(at, job.time_zone)} ${job.time_zone}).`,
    "Nobody may be watching. Your last message is what is delivered: make it complete by itself.",
  ];
  if (job.skills.length > 0) {
    lines.push(
      `Before you begin, look up these skills with the skill tool: ${job.skills.join(", ")}.`,
    );
  }
  return lines.join("\n");
}

/** `2026-03-31 09:00`, on the clocks of the zone. */
export function localTime(at: number, timeZone: string): string {
  const format = new Intl.DateTimeFormat("sv-SE", {
    timeZone,
    dateStyle: "short",
    timeStyle: "short",
  });
  return format.format(at * 1_000);
}

/** The run's end is a reply to a message that the device never sent: owed until it has read it. */
async function oweToDevice(
  tx: Tx,
  { job, messageId }: Occasion,
  { session_id, run_id }: { session_id: string; run_id: string },
): Promise<void> {
  if (targetOf(job.deliver)?.kind !== "channel") return;
  const owed = `INSERT INTO channel_messages (session_id, message_id, text_hash, run_id, after_seq, created_at)
    VALUES (?, ?, ?, ?, 0, ?)`;
  await tx.run(owed, session_id, messageId, hash("sha256", job.prompt), run_id, tx.now);
}

function within(tx: Tx): Transact {
  return (_about, work) => work(tx);
}
