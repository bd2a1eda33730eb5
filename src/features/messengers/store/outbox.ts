// Which message of a messenger shows what. A row is there before its message is sent, and knows its id afterwards: so
// whoever comes after a crash edits what is there, and sends again only what nobody can know the fate of.
import type { AskedThere, GatewayStore } from "./messengers.ts";
import type { Sql, Value } from "../../../kernel/journal/sql.ts";
import type { Transact, Tx } from "../../../kernel/journal/transaction.ts";
import { integer, json, nullable, oneOf, rowsOf, text } from "../../../kernel/journal/rows.ts";
import {
  GATEWAY_CONVERSATIONS,
  GATEWAY_MESSAGES,
} from "../../../kernel/journal/tables/messengers.ts";
import { pick } from "../../../kernel/journal/tables/table.ts";

const POST = `SELECT message_key, platform, channel_id, part, request, body, platform_message_id, content_hash, state
  FROM gateway_messages`;
const OPEN = `INSERT INTO gateway_messages
  (platform, channel_id, part, run_id, request, body, state, created_at, updated_at)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (platform, channel_id, part) DO NOTHING`;
const KEEP = `UPDATE gateway_messages SET state = ?, problem = ?, updated_at = ?,
  platform_message_id = coalesce(?, platform_message_id), content_hash = coalesce(?, content_hash)
  WHERE message_key = ?`;
// The row stays: its key is in the buttons and the name of the message that was.
const RETIRE = `UPDATE gateway_messages SET state = 'withdrawn', part = 'withdrawn:' || message_key, updated_at = ?
  WHERE message_key = ?`;
// The message its run came from, and what we had sent to its channel before and after it.
const ASKED_IN = `SELECT c.message_id AS id FROM gateway_messages m
  JOIN gateway_conversations g ON g.platform = m.platform AND g.channel_id = m.channel_id
  JOIN channel_messages c ON c.session_id = g.session_id AND c.run_id = m.run_id
  WHERE m.message_key = ? ORDER BY c.arrival LIMIT 1`;
const SENT_NEAR = `SELECT o.platform_message_id AS id FROM gateway_messages m
  JOIN gateway_messages o ON o.platform = m.platform AND o.channel_id = m.channel_id
  WHERE m.message_key = ? AND o.platform_message_id IS NOT NULL`;
const EARLIER = `${SENT_NEAR} AND o.message_key < m.message_key ORDER BY o.message_key DESC LIMIT 1`;
const LATER = `${SENT_NEAR} AND o.message_key > m.message_key ORDER BY o.message_key LIMIT 100`;
const CONVERSATION = `SELECT c.session_id, c.platform, c.channel_id, c.told_seq, c.last_message_id, c.last_user_id
  FROM gateway_conversations c`;

const RECENT_DAYS = 7;

type Outbox = Pick<
  GatewayStore,
  | "openConversation"
  | "heardUpTo"
  | "conversation"
  | "conversations"
  | "conversationsBehind"
  | "deliveredUpTo"
  | "openPost"
  | "keepPost"
  | "retirePost"
  | "gatewayPost"
  | "messagesAround"
  | "gatewayPostOf"
  | "deliver"
  | "waitingPosts"
  | "undelivered"
>;

export function gatewayOutbox(sql: Sql, transact: Transact): Outbox {
  return {
    ...conversations(sql, transact),
    openPost: (post, holder) =>
      transact(null, async (tx) => {
        const { platform, channel_id, part, run_id, request } = post;
        const held =
          "SELECT 1 FROM gateway_leases WHERE platform = ? AND holder = ? AND lease_until >= ?";
        if (!(await tx.get(held, platform, holder, tx.now))) return undefined;
        const about = [
          platform,
          channel_id,
          part,
          run_id,
          request && JSON.stringify(request),
        ] as const;
        const fresh = (await tx.run(OPEN, ...about, null, "sending", tx.now, tx.now)) === 1;
        const row = await postOf(tx, platform, channel_id, part);
        return row && { post: row, fresh };
      }),
    async keepPost(
      key,
      { state, platform_message_id = null, content_hash = null, problem = null },
    ) {
      await transact(null, (tx) =>
        tx.run(KEEP, state, problem, tx.now, platform_message_id, content_hash, key),
      );
    },
    async retirePost(key) {
      await transact(null, (tx) => tx.run(RETIRE, tx.now, key));
    },
    async gatewayPost(key) {
      return postFrom(sql, `${POST} WHERE message_key = ?`, key);
    },
    async messagesAround(key) {
      const [asked, earlier, others] = [
        await ID.get(sql, ASKED_IN, key),
        await ID.get(sql, EARLIER, key),
        await ID.all(sql, LATER, key),
      ];
      const ids = [asked, earlier].map((row) => row?.id);
      return {
        before: ids.filter((id) => id !== undefined),
        others: others.map(({ id }) => id),
      };
    },
    async gatewayPostOf(platform, channelId, part) {
      const named = `${POST} WHERE platform = ? AND channel_id = ? AND part = ?`;
      return postFrom(sql, named, platform, channelId, part);
    },
    ...deliveries(sql, transact),
  };
}

const POST_ROW = rowsOf("gateway_messages", {
  ...pick(
    GATEWAY_MESSAGES,
    ...(["message_key", "platform", "channel_id", "part", "body", "platform_message_id"] as const),
    "content_hash",
  ),
  request: nullable(json<AskedThere>()),
  state: oneOf(["waiting", "sending", "sent", "failed", "withdrawn"]),
});
const CONVERSATION_ROW = rowsOf(
  "gateway_conversations",
  pick(
    GATEWAY_CONVERSATIONS,
    ...(["session_id", "platform", "channel_id", "told_seq"] as const),
    ...(["last_message_id", "last_user_id"] as const),
  ),
);
const ID = rowsOf("gateway_messages", { id: text });
const FAILED = rowsOf("gateway_messages", { platform: text, many: integer });

type Deliveries = Pick<GatewayStore, "deliver" | "waitingPosts" | "undelivered">;

function deliveries(sql: Sql, transact: Transact): Deliveries {
  return {
    deliver: (delivery) => transact(null, (tx) => putDelivery(tx, delivery)),
    async waitingPosts(platform) {
      const waiting = `${POST} WHERE platform = ? AND body IS NOT NULL AND state IN ('waiting', 'sending')
        ORDER BY message_key LIMIT 50`;
      return (await POST_ROW.all(sql, waiting, platform)).map((row) => ({ ...row }));
    },
    async undelivered() {
      const failed = `SELECT platform, count(*) AS many FROM gateway_messages
        WHERE state = 'failed' GROUP BY platform`;
      return new Map((await FAILED.all(sql, failed)).map(({ platform, many }) => [platform, many]));
    },
  };
}

/** In the transaction of whoever calls: that it is delivered and that it was said are one. */
export async function putDelivery(
  tx: Tx,
  { platform, id, text, channel_id }: Parameters<GatewayStore["deliver"]>[0],
): Promise<boolean> {
  const home = "SELECT home_channel FROM gateway_platforms WHERE platform = ? AND enabled = 1";
  const channel = channel_id ?? (await tx.get(home, platform))?.["home_channel"];
  if (typeof channel !== "string") return false;
  const part = `delivery:${id}`;
  // Home may be elsewhere by now: what was said there is not said again.
  const before = "SELECT 1 AS yes FROM gateway_messages WHERE platform = ? AND part = ?";
  if (channel_id === undefined && (await tx.get(before, platform, part))) return true;
  const body = tx.clean(text);
  await tx.run(OPEN, platform, channel, part, null, null, body, "waiting", tx.now, tx.now);
  return true;
}

function conversations(sql: Sql, transact: Transact) {
  const OPENED = `INSERT INTO gateway_conversations (session_id, platform, channel_id, told_seq, last_user_id, last_message_id, updated_at)
    VALUES (?, ?, ?, coalesce((SELECT seq FROM sessions WHERE session_id = ?), 0), ?, ?, ?)
    ON CONFLICT (session_id) DO UPDATE SET channel_id = excluded.channel_id, last_user_id = excluded.last_user_id, updated_at = excluded.updated_at`;
  return {
    async openConversation(given: Parameters<GatewayStore["openConversation"]>[0]) {
      const { session_id, platform, channel_id, last_user_id, last_message_id = "" } = given;
      const about = [session_id, platform, channel_id, session_id, last_user_id] as const;
      await transact(null, (tx) => tx.run(OPENED, ...about, last_message_id, tx.now));
    },
    async heardUpTo(sessionId: string, messageId: string) {
      const heard = `UPDATE gateway_conversations SET last_message_id = ? WHERE session_id = ?
        AND (length(last_message_id) < ? OR (length(last_message_id) = ? AND last_message_id < ?))`;
      const long = messageId.length;
      await transact(null, (tx) => tx.run(heard, messageId, sessionId, long, long, messageId));
    },
    async conversation(sessionId: string) {
      const row = await CONVERSATION_ROW.get(
        sql,
        `${CONVERSATION} WHERE c.session_id = ?`,
        sessionId,
      );
      return row && { ...row };
    },
    async conversations(platform: string, { days = RECENT_DAYS } = {}) {
      const recent = `${CONVERSATION} WHERE c.platform = ? AND c.updated_at >=
        (SELECT max(updated_at) FROM gateway_conversations WHERE platform = ?) - ?
        ORDER BY c.updated_at DESC LIMIT 500`;
      const rows = await CONVERSATION_ROW.all(sql, recent, platform, platform, days * 86_400);
      return rows.map((row) => ({ ...row }));
    },
    async conversationsBehind(platform: string) {
      const behind = `${CONVERSATION} JOIN sessions s ON s.session_id = c.session_id
        WHERE c.platform = ? AND s.seq > c.told_seq ORDER BY c.session_id`;
      return (await CONVERSATION_ROW.all(sql, behind, platform)).map((row) => ({ ...row }));
    },
    async deliveredUpTo(sessionId: string, seq: number) {
      const emitted =
        "UPDATE gateway_conversations SET told_seq = ? WHERE session_id = ? AND told_seq < ?";
      await transact(null, (tx) => tx.run(emitted, seq, sessionId, seq));
    },
  };
}

async function postOf(tx: Tx, platform: string, channel: string, part: string) {
  const named = `${POST} WHERE platform = ? AND channel_id = ? AND part = ?`;
  return postFrom(tx, named, platform, channel, part);
}

async function postFrom(sql: Pick<Sql, "get" | "all">, query: string, ...params: Value[]) {
  const row = await POST_ROW.get(sql, query, ...params);
  return row && { ...row };
}
