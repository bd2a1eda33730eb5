// Lists that follow from events, and records that people keep beside them.
import { id, integer, nullable, real, text } from "../rows.ts";
import { column, table } from "./table.ts";

const PRIMARY = { key: "primary" } as const;
const IDENTITY = { key: "identity" } as const;

/** Every "always" of a profile. */
export const GRANTS = table(
  "grants",
  { since: 2, kind: "list", withoutRowid: true, indexes: { grants_profile: "(profile)" } },
  { request_id: column(id, PRIMARY), profile: id, rule: text },
);

export const PROJECTS = table(
  "projects",
  { since: 2, kind: "record", withoutRowid: true },
  {
    project_id: column(id, PRIMARY),
    body: text, // the record without its id and times
    created_at: real,
    updated_at: real,
  },
);

export const CHANGES = table(
  "changes",
  {
    since: 2,
    kind: "list",
    key: "log_key, seq",
    withoutRowid: true,
    indexes: { changes_session: "(session_key, session_seq)" },
  },
  {
    log_key: integer,
    seq: integer,
    session_key: integer,
    session_seq: integer,
    body: text, // the payload of files.changed
  },
);

/** Messages of people and models. */
export const MESSAGES = table(
  "messages",
  {
    since: 2,
    kind: "list",
    indexes: {
      messages_log: "(log_key, message_id)",
      messages_said: { on: "(log_key) WHERE text <> ''", since: 3 },
    },
  },
  {
    message_key: column(integer, IDENTITY),
    log_key: integer,
    seq: integer,
    message_id: id,
    role: text,
    text, // empty: taken back
    words: column({ ...text, postgres: "tsvector" }, { only: "postgres" }), // no longer used
    created_at: real,
  },
);

/** Usage by its time, because a run may last for days. */
export const USAGE = table(
  "usage",
  { since: 3, kind: "list", key: "created_at, log_key, seq", withoutRowid: true },
  {
    created_at: real,
    log_key: integer,
    seq: integer,
    input_tokens: integer,
    output_tokens: integer,
    total_tokens: integer,
    cost_usd: real,
  },
);

/** Accepted messages of text-only devices, and whether they were answered. */
export const CHANNEL_MESSAGES = table(
  "channel_messages",
  {
    since: 3,
    kind: "record",
    unique: "session_id, message_id",
    indexes: { channel_unreplied: "(session_id) WHERE replied_at IS NULL" },
  },
  {
    arrival: column(integer, IDENTITY),
    session_id: id,
    message_id: id,
    text_hash: text,
    run_id: id,
    after_seq: integer,
    created_at: real,
    replied_at: nullable(real),
  },
);

export const PUSH_SUBSCRIPTIONS = table(
  "push_subscriptions",
  { since: 4, kind: "record" },
  {
    endpoint: column(id, PRIMARY),
    p256dh: text,
    auth: text,
    label: text, // which browser, for the list in the settings
    created_at: real,
  },
);

/** Each notification is sent by one process, once. */
export const PUSH_SENT = table(
  "push_sent",
  { since: 4, kind: "record" },
  { key: column(id, PRIMARY), sent_at: real },
);

/** The system log: events outside any session, indexed by type. */
export const SYSTEM_ENTRIES = table(
  "house_entries",
  {
    since: 7,
    kind: "list",
    indexes: { house_entries_type: "(type, seq)", house_entries_actor: "(actor, seq)" },
  },
  { seq: column(integer, PRIMARY), at: real, type: id, actor: id },
);

/**
 * Search: messages, tool arguments and results, changed files and errors. An existing journal is indexed in small steps:
 * `search_from` in `meta` says which logs (those below it) are not indexed yet.
 */
export const SEARCH_ROWS = table(
  "search_rows",
  {
    since: 8,
    kind: "apart",
    postgresKey: "UNIQUE (log_key, seq)",
    indexes: {
      search_rows_event: { on: "(log_key, seq)", unique: true, only: "sqlite" },
      search_rows_words: {
        on: "USING gin (words) WITH (gin_pending_list_limit = 512)",
        only: "postgres",
      },
    },
  },
  {
    row_key: column(integer, PRIMARY), // a later row has a greater key; rows that are indexed afterwards get 0, -1, -2 …
    log_key: integer,
    seq: integer,
    kind: text,
    role: text,
    tool: text,
    created_at: real,
    about: column(text, { only: "sqlite" }), // marks to filter by, see search/marks.ts
    text, // bounded; empty: taken back
    words: column({ ...text, postgres: "tsvector" }, { only: "postgres" }), // with the marks, and buckets of row keys
  },
);

/** The last recorded versions of files in homes. */
export const HOME_NOTES = table(
  "home_notes",
  { since: 12, kind: "list", key: "home, kind, profile, name", withoutRowid: true },
  {
    home: id,
    kind: id,
    profile: id,
    name: id,
    hash: text,
    at: real,
    actor: text,
    action: text,
    source: nullable(text),
    installed_hash: nullable(text),
  },
);

export const SKILL_USES = table(
  "skill_uses",
  { since: 12, kind: "list", key: "profile, name", withoutRowid: true },
  { profile: id, name: id, uses: integer, last_at: real },
);
