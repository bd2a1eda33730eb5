// What is known of the messages of text-only devices.
import type { Database, Row } from "./database.ts";
import type { ChannelMessage, Reads } from "./journal.ts";

export const CHANNEL_MESSAGE = `SELECT session_id, message_id, text_hash, run_id, after_seq, replied_at
  FROM channel_messages WHERE session_id = ?`;

// A range, not LIKE: names hold `_`, and the index is used. `;` is what follows a colon.
const UNREPLIED_UNDER = `SELECT session_id FROM channel_messages
  WHERE replied_at IS NULL AND session_id >= ?1 || ':' AND session_id < ?1 || ';'
  GROUP BY session_id ORDER BY min(arrival) LIMIT ?2`;

type ChannelReads = Pick<Reads, "channelMessage" | "unreplied" | "unrepliedUnder">;

export function channelReads(db: Database): ChannelReads {
  return {
    async channelMessage(sessionId, messageId) {
      const sql = `${CHANNEL_MESSAGE} AND message_id = ?`;
      const row = await db.read(() => db.get(sql, sessionId, messageId));
      return row && toMessage(row);
    },
    async unreplied(sessionId) {
      const sql = `${CHANNEL_MESSAGE} AND replied_at IS NULL ORDER BY arrival`;
      return db.read(() => db.all(sql, sessionId).map(toMessage));
    },
    async unrepliedUnder(prefix, limit) {
      const rows = await db.read(() => db.all(UNREPLIED_UNDER, prefix, limit));
      return rows.map((row) => row["session_id"] as string);
    },
  };
}

export function toMessage(row: Row): ChannelMessage {
  return { ...row } as ChannelMessage;
}
