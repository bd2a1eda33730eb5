// Reads the messages of text-only devices.
import type { ChannelMessage, Reads } from "../journal.ts";
import type { Row, Sql } from "../sql.ts";
import { integer, nullable, real, rowsOf, text } from "../rows.ts";

export const CHANNEL_MESSAGE = `SELECT session_id, message_id, text_hash, run_id, after_seq, replied_at
  FROM channel_messages WHERE session_id = ?`;

// A range, not LIKE: names hold `_`, and the index is used. `;` is what follows a colon.
const UNREPLIED_UNDER = `SELECT session_id FROM channel_messages
  WHERE replied_at IS NULL AND session_id >= ?1 || ':' AND session_id < ?1 || ';'
  GROUP BY session_id ORDER BY min(arrival) LIMIT ?2`;

const MESSAGE = rowsOf("channel_messages", {
  session_id: text,
  message_id: text,
  text_hash: text,
  run_id: text,
  after_seq: integer,
  replied_at: nullable(real),
});
const OWED = rowsOf("channel_messages", { session_id: text });

type ChannelReads = Pick<Reads, "channelMessage" | "unreplied" | "unrepliedUnder">;

export function channelReads(sql: Sql): ChannelReads {
  return {
    async channelMessage(sessionId, messageId) {
      const row = await sql.get(`${CHANNEL_MESSAGE} AND message_id = ?`, sessionId, messageId);
      return row && toMessage(row);
    },
    async unreplied(sessionId) {
      const waiting = `${CHANNEL_MESSAGE} AND replied_at IS NULL ORDER BY arrival`;
      return (await sql.all(waiting, sessionId)).map(toMessage);
    },
    async unrepliedUnder(prefix, limit) {
      const rows = await OWED.all(sql, UNREPLIED_UNDER, prefix, limit);
      return rows.map(({ session_id }) => session_id);
    },
  };
}

export function toMessage(row: Row): ChannelMessage {
  return { ...MESSAGE.of(row) };
}
