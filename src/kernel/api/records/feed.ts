// The frames of the feed: one socket per tab, for every session that the tab follows and for the session list.
// Stored events are sent unchanged; everything else is a frame with `feed`.
import { z } from "zod";
import { RequestRecord, SessionRecord } from "./records.ts";
import { SessionId } from "../../events/ids.ts";

const Mark = z
  .int()
  .nonnegative()
  .describe("chosen by the client: which of its watches it is about");

export const FeedRequest = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("watch"),
    session_id: SessionId,
    after: z.int().nonnegative().describe("session_seq: everything up to it was seen"),
    mark: Mark,
    epoch: z.string().max(64).optional(),
  }),
  z.strictObject({ type: z.literal("unwatch"), session_id: SessionId }),
  z.strictObject({ type: z.literal("ping") }).describe("asks for a heartbeat"),
]);
export type FeedRequest = z.infer<typeof FeedRequest>;

/** Sent at once, every ten seconds, on request, and when the database goes away or comes back. */
export const FeedHeartbeat = z.object({
  feed: z.literal("heartbeat"),
  epoch: z.string(),
  at: z.number().describe("unix seconds"),
  away: z
    .object({ since: z.number(), problem: z.string() })
    .nullable()
    .optional()
    .describe("the server's database does not answer, since when and why"),
});
/** From here on, events of the session belong to this watch. */
export const FeedWatching = z.object({
  feed: z.literal("watching"),
  session_id: SessionId,
  mark: Mark,
  head: z.int().nonnegative(),
});
/** The server's fold of the session up to an event, to draw before the events have arrived. */
export const FeedFold = z.object({
  feed: z.literal("fold"),
  session_id: SessionId,
  session_seq: z.int().nonnegative(),
  reducer: z.int().describe("whoever folds otherwise has no use for it"),
  folded: z.json(),
});
/** All stored events were sent: what follows is live. */
export const FeedCaughtUp = z.object({
  feed: z.literal("caught_up"),
  session_id: SessionId,
  session_seq: z.int().nonnegative(),
});
/** The hash of the server's own fold of the session after exactly these events. */
export const FeedState = z.object({
  feed: z.literal("state"),
  session_id: SessionId,
  session_seq: z.int().nonnegative(),
  hash: z.string(),
  reducer: z.int().describe("folds of other versions cannot be compared"),
  hash_version: z.int().describe("neither can hashes that were made in other ways"),
});
/** About one watch, or (session_id null) about an invalid message; the other watches continue. */
export const FeedRefused = z.object({
  feed: z.literal("refused"),
  session_id: SessionId.nullable(),
  mark: Mark.nullable(),
  code: z.string(),
  status: z.int(),
  message: z.string(),
  details: z.json(),
});
/** Sessions as lists show them, and the pending requests of those that changed. */
export const FeedBoard = z.object({
  feed: z.literal("board"),
  whole: z
    .boolean()
    .describe("the newest sessions and everything that waits; otherwise what changed"),
  sessions: z.array(SessionRecord),
  gone: z.array(SessionId),
  pending: z.record(SessionId, z.array(RequestRecord)),
  house: z
    .int()
    .nonnegative()
    .optional()
    .describe("what belongs to no session changed: its log has so many events now"),
});
export type FeedBoard = Readonly<z.infer<typeof FeedBoard>>;

export const FeedFrame = z.discriminatedUnion("feed", [
  FeedHeartbeat,
  FeedWatching,
  FeedFold,
  FeedCaughtUp,
  FeedState,
  FeedRefused,
  FeedBoard,
]);
export type FeedFrame = Readonly<z.infer<typeof FeedFrame>>;
