// Messengers. Platforms and people follow from the system log. The other tables hold what no event should: pairing codes,
// which message of a messenger shows what, and which gateway holds a platform's connection.
import { flag, id, integer, nullable, real, small, text } from "../rows.ts";
import { column, table } from "./table.ts";

const PRIMARY = { key: "primary" } as const;
const ZERO = { default: 0 } as const;
const EMPTY = { default: "" } as const;

export const GATEWAY_PLATFORMS = table(
  "gateway_platforms",
  { since: 11, kind: "list" },
  {
    platform: column(id, PRIMARY),
    enabled: column(flag, ZERO),
    mode: column(text, { default: "pair" }),
    allow: column(text, { default: "[]" }),
    home_channel: nullable(text),
    state: column(text, { default: "stopped" }),
    account: column(text, EMPTY),
    error_code: nullable(text),
    error_message: nullable(text),
    revision: column(integer, ZERO),
    updated_at: real,
  },
);

export const GATEWAY_PEOPLE = table(
  "gateway_people",
  { since: 11, kind: "list", key: "platform, user_id" },
  {
    platform: id,
    user_id: id,
    user_name: column(text, EMPTY),
    channel_id: column(id, EMPTY),
    state: text,
    expires_at: nullable(real),
    updated_at: real,
  },
);

export const GATEWAY_CODES = table(
  "gateway_codes",
  { since: 11, kind: "record", indexes: { gateway_codes_platform: "(platform, asked_at)" } },
  {
    platform: id,
    user_id: id,
    hash: text,
    expires_at: real,
    tries: column(small, ZERO),
    told: column(flag, ZERO),
    asked_at: real,
  },
);

export const GATEWAY_LEASES = table(
  "gateway_leases",
  { since: 11, kind: "apart" },
  { platform: column(id, PRIMARY), holder: id, lease_until: real },
);

export const GATEWAY_CONVERSATIONS = table(
  "gateway_conversations",
  { since: 11, kind: "record", indexes: { gateway_conversations_platform: "(platform)" } },
  {
    session_id: column(id, PRIMARY),
    platform: id,
    channel_id: id,
    told_seq: column(integer, ZERO),
    last_message_id: column(text, EMPTY),
    last_user_id: column(text, EMPTY),
    updated_at: real,
  },
);

export const GATEWAY_MESSAGES = table(
  "gateway_messages",
  {
    since: 11,
    kind: "record",
    unique: "platform, channel_id, part",
    indexes: {
      gateway_messages_run: "(run_id) WHERE run_id IS NOT NULL",
      gateway_messages_waiting:
        "(platform) WHERE body IS NOT NULL AND state IN ('waiting', 'sending')",
    },
  },
  {
    message_key: column(integer, { key: "identity" }),
    platform: id,
    channel_id: id,
    part: id,
    run_id: nullable(id),
    request: nullable(text),
    body: nullable(text),
    platform_message_id: nullable(text),
    content_hash: column(text, EMPTY),
    state: text,
    problem: nullable(text),
    created_at: real,
    updated_at: real,
  },
);
