// What the daemon's clients send: bare `{method, params}`, without envelope, id or answer in case of
// error. Whatever else arrives is dropped, and the connection stays: that is the protocol's own rule.
import { z } from "zod";
import { CronStatus } from "./cron.ts";
import { RespondClarify } from "../../../kernel/events/commands.ts";

const Id = z.string().min(1).max(512);

const DaemonCommand = z.discriminatedUnion("method", [
  z.object({ method: z.literal("sessions.list") }),
  z.object({
    method: z.literal("snapshot.request"),
    params: z.object({ sessionId: Id, lastEventId: z.unknown().optional() }),
  }),
  CronStatus,
  z.object({
    method: z.literal("permission.response"),
    params: z.object({
      requestId: Id,
      sessionId: Id.optional(), // the document's clients name the request alone
      approved: z.boolean(),
      remember: z.unknown().optional(),
    }),
  }),
  /** Ours: an answer in words, where two buttons are not enough. */
  z.object({
    method: z.literal("clarify.response"),
    params: z.object({
      requestId: Id,
      sessionId: Id.optional(), // the document's clients name the request alone
      response: RespondClarify.shape.response,
    }),
  }),
]);
export type DaemonCommand = z.infer<typeof DaemonCommand>;

/** Undefined: nothing we know, or not as we know it. */
export function readDaemonCommand(text: string): DaemonCommand | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const read = DaemonCommand.safeParse(value);
  return read.success ? read.data : undefined;
}
