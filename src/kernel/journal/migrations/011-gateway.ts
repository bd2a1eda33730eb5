// Messengers. Platforms and people follow from events of the system log. The other tables hold what no event should:
// pairing codes, which message of a messenger shows what, and which gateway holds a platform's connection.
export const gateway = `
CREATE TABLE gateway_platforms (
  platform TEXT PRIMARY KEY,
  enabled INTEGER NOT NULL DEFAULT 0,
  mode TEXT NOT NULL DEFAULT 'pair',
  allow TEXT NOT NULL DEFAULT '[]',
  home_channel TEXT,
  state TEXT NOT NULL DEFAULT 'stopped',
  account TEXT NOT NULL DEFAULT '',
  error_code TEXT,
  error_message TEXT,
  revision INTEGER NOT NULL DEFAULT 0,
  updated_at REAL NOT NULL
) STRICT;
CREATE TABLE gateway_people (
  platform TEXT NOT NULL,
  user_id TEXT NOT NULL,
  user_name TEXT NOT NULL DEFAULT '',
  channel_id TEXT NOT NULL DEFAULT '',
  state TEXT NOT NULL,
  expires_at REAL,
  updated_at REAL NOT NULL,
  PRIMARY KEY (platform, user_id)
) STRICT;
CREATE TABLE gateway_codes (
  platform TEXT NOT NULL,
  user_id TEXT NOT NULL,
  hash TEXT NOT NULL,
  expires_at REAL NOT NULL,
  tries INTEGER NOT NULL DEFAULT 0,
  told INTEGER NOT NULL DEFAULT 0,
  asked_at REAL NOT NULL
) STRICT;
CREATE INDEX gateway_codes_platform ON gateway_codes (platform, asked_at);
CREATE TABLE gateway_leases (
  platform TEXT PRIMARY KEY,
  holder TEXT NOT NULL,
  lease_until REAL NOT NULL
) STRICT;
CREATE TABLE gateway_conversations (
  session_id TEXT PRIMARY KEY,
  platform TEXT NOT NULL,
  channel_id TEXT NOT NULL,
  told_seq INTEGER NOT NULL DEFAULT 0,
  last_message_id TEXT NOT NULL DEFAULT '',
  last_user_id TEXT NOT NULL DEFAULT '',
  updated_at REAL NOT NULL
) STRICT;
CREATE INDEX gateway_conversations_platform ON gateway_conversations (platform);
CREATE TABLE gateway_messages (
  message_key INTEGER PRIMARY KEY,
  platform TEXT NOT NULL,
  channel_id TEXT NOT NULL,
  part TEXT NOT NULL,
  run_id TEXT,
  request TEXT,
  body TEXT,
  platform_message_id TEXT,
  content_hash TEXT NOT NULL DEFAULT '',
  state TEXT NOT NULL,
  problem TEXT,
  created_at REAL NOT NULL,
  updated_at REAL NOT NULL,
  UNIQUE (platform, channel_id, part)
) STRICT;
CREATE INDEX gateway_messages_run ON gateway_messages (run_id) WHERE run_id IS NOT NULL;
CREATE INDEX gateway_messages_waiting ON gateway_messages (platform)
  WHERE body IS NOT NULL AND state IN ('waiting', 'sending');
`;
