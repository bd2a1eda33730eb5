// What is known of the messages of text-only devices.
import type { Database, Row } from "./database.ts";
import type { ChannelMessage, Reads } from "./journal.ts";

export const CHANNEL_MESSAGE = `SELECT session_id, message_id, text_hash, run_id, after_seq, replied_at
  FROM channel_messages WHERE session_id = ?`;

export function channelReads(db: Database): Pick<Reads, "channelMessage" | "unreplied"> {
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
  };
}

export function toMessage(row: Row): ChannelMessage {
  return { ...row } as ChannelMessage;
}
