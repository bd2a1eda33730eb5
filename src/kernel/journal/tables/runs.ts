// The tables of every release. A log is what events are appended to: one per run, and one per session for events outside
// any run. `logs` holds the head of each, so an append changes one of its rows.
import { flag, id, integer, nullable, oneOf, real, small, text } from "../rows.ts";
import { column, table } from "./table.ts";

/** Updated by every append. */
const HOT_ROWS =
  "fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0";
const PRIMARY = { key: "primary" } as const;
const IDENTITY = { key: "identity" } as const;
const ZERO = { default: 0 } as const;
const EMPTY = { default: "" } as const;

export const META = table(
  "meta",
  { since: 1, kind: "apart", withoutRowid: true },
  { key: column(id, PRIMARY), value: text },
);

export const SESSIONS = table(
  "sessions",
  {
    since: 1,
    kind: "record",
    postgres: HOT_ROWS,
    indexes: {
      sessions_project: { on: "(project_id) WHERE project_id IS NOT NULL", since: 2 },
      // An index on updated_at would slow every append; the hour rarely changes and finds the newest as fast.
      sessions_newest: { on: "(updated_hour) WHERE deleted = 0", since: 3 },
      sessions_title: { on: "(title_key) WHERE deleted = 0", since: 3, only: "sqlite" },
      sessions_source: { on: "(source) WHERE deleted = 0", since: 3 },
      sessions_workspace: { on: "(workspace) WHERE deleted = 0", since: 3 },
      sessions_model: { on: "(model) WHERE deleted = 0", since: 3 },
      sessions_parent: {
        on: "(parent_session_id) WHERE parent_session_id IS NOT NULL",
        only: "postgres",
      },
      sessions_pinned: { on: "(updated_hour) WHERE pinned = 1 AND deleted = 0", since: 4 },
    },
  },
  {
    session_key: column(integer, IDENTITY),
    session_id: column(id, { key: "unique" }),
    seq: column(integer, { ...ZERO, hot: true }),
    title: column(id, EMPTY),
    title_key: column(id, { ...EMPTY, since: 3.2 }), // without case and accents
    title_source: column(text, { default: "prompt", since: 2.3 }),
    source: column(id, EMPTY),
    workspace: column(id, EMPTY),
    model: column(id, EMPTY),
    profile: column(id, EMPTY),
    parent_session_id: nullable(id),
    project_id: column(nullable(id), { since: 2.1 }),
    goal_text: nullable(text),
    goal_status: nullable(text),
    yolo: column(flag, { ...ZERO, since: 2.2 }),
    pinned: column(flag, { ...ZERO, since: 4 }),
    deleted: column(flag, { ...ZERO, since: 3.1 }),
    permissions: column(text, { default: "[]", since: 2.4 }),
    branched_from: column(nullable(text), { since: 2.5 }), // {session_id, run_id, seq}
    created_at: real,
    updated_at: column(real, { hot: true }),
    updated_hour: column(integer, { ...ZERO, since: 3.3 }),
    claimed_at: column(real, { ...ZERO, since: 5 }), // when a run of it was last claimed
    skills: column(text, { default: "{}", since: 12 }),
  },
);

const ENDED = "kind = 'run' AND parent_run_id IS NULL";

export const LOGS = table(
  "logs",
  {
    since: 1,
    kind: "record",
    postgres: HOT_ROWS,
    indexes: {
      logs_open: "(session_key, log_key) WHERE ended_at IS NULL AND kind = 'run'",
      logs_owned: "(runner_id) WHERE runner_id IS NOT NULL",
      logs_session: "(session_key, log_key)",
      logs_parent: { on: "(parent_run_id) WHERE parent_run_id IS NOT NULL", since: 2 },
      logs_tools: { on: "(session_key) WHERE tool_calls > 0", since: 3, only: "sqlite" },
      logs_trouble: {
        on: `(ended_at) WHERE ${ENDED} AND dismissed = 0 AND status IN ('failed', 'expired')`,
        since: 4,
      },
      logs_ended: { on: `(ended_at) WHERE ${ENDED} AND ended_at IS NOT NULL`, since: 4 },
    },
  },
  {
    log_key: column(integer, IDENTITY),
    log_id: column(id, { key: "unique" }),
    kind: column(oneOf(["run", "session"]), { check: "CHECK (kind IN ('run', 'session'))" }),
    session_key: column(integer, { check: "REFERENCES sessions" }),
    seq: column(integer, { ...ZERO, hot: true }),
    hash: column(text, { ...EMPTY, hot: true }),
    checksum: column(integer, { ...ZERO, hot: true }),
    chars: column(integer, { ...ZERO, hot: true }),
    last_at: column(real, { ...ZERO, hot: true }),
    quarantined: nullable(text),
    fence: column(integer, ZERO),
    runner_id: nullable(id),
    lease_until: nullable(real),
    status: column(text, { default: "queued" }),
    prompt: column(text, EMPTY),
    message_id: column(id, { ...EMPTY, since: 2.2 }),
    model: column(text, EMPTY),
    workspace: column(id, EMPTY),
    volume: column(id, { ...EMPTY, since: 5 }), // of the run's workspace; empty: a plain path
    profile: column(id, { ...EMPTY, since: 2.1 }),
    parent_run_id: nullable(id),
    depth: column(small, ZERO),
    position: column(nullable(real), { since: 2.3 }), // its place in the queue; null: in order of creation
    direct: column(nullable(text), { since: 2.4 }), // the tool of a run that asks no model
    rewound_at: column(nullable(integer), { since: 2.5 }), // session_seq of the event that left it out
    tokens: column(integer, { ...ZERO, since: 2.6 }),
    input_tokens: column(integer, { ...ZERO, since: 3.1 }),
    output_tokens: column(integer, { ...ZERO, since: 3.2 }),
    cost_usd: column(real, { ...ZERO, since: 2.7 }),
    unpriced: column(small, { ...ZERO, since: 2.8 }),
    tool_calls: column(integer, { ...ZERO, since: 2.9 }),
    attachments: column(integer, { ...ZERO, since: 3.3 }),
    activity: column(nullable(text), { since: 4.1 }), // in a few words, for lists; null: nothing to say
    activity_at: column(nullable(real), { since: 4.2 }),
    dismissed: column(flag, { ...ZERO, since: 4.3 }), // its end has been seen
    created_at: column(real, ZERO),
    ended_at: nullable(real),
    handed_over: column(flag, { ...ZERO, since: 6 }), // released between steps, which does not count as a crash
  },
);

export const EVENTS = table(
  "events",
  {
    since: 1,
    kind: "apart",
    copied: false, // they carry hashes
    postgresKey: "PRIMARY KEY (log_key, seq)",
    indexes: {
      events_log: { on: "(log_key, seq)", unique: true, only: "sqlite" },
      events_session: { on: "(session_key, session_seq)", unique: true },
    },
  },
  {
    event_key: column(integer, { ...PRIMARY, only: "sqlite" }),
    log_key: integer,
    seq: integer,
    session_key: integer,
    session_seq: integer,
    checksum: integer, // CRC-32 of the log's frames up to and with this event
    chars: integer, // their length
    body: text,
  },
);

export const REQUESTS = table(
  "requests",
  {
    since: 1,
    kind: "list",
    withoutRowid: true,
    indexes: {
      requests_pending: "(log_key) WHERE answer IS NULL",
      requests_waiting: { on: "(session_key) WHERE answer IS NULL", since: 3 },
      requests_granted: "(session_key, plan_hash) WHERE answer = 'session'",
    },
  },
  {
    request_id: column(id, PRIMARY),
    log_key: integer,
    session_key: integer,
    kind: text,
    call_id: nullable(text),
    title: text,
    prompt: text,
    choices: text,
    plan_hash: nullable(text),
    always: column(nullable(text), { since: 2 }), // the rule that the choice "always" makes
    expires_at: nullable(real),
    created_at: real,
    answer: nullable(text),
  },
);

export const COMMANDS = table(
  "commands",
  { since: 1, kind: "record", key: "scope, key", withoutRowid: true },
  { scope: id, key: id, fingerprint: text, outcome: text, created_at: real },
);

export const SNAPSHOTS = table(
  "snapshots",
  { since: 1, kind: "apart", copied: false }, // a saved fold has a checksum
  { log_key: column(integer, PRIMARY), seq: integer, body: text },
);

export const PROCESSES = table(
  "processes",
  { since: 1, kind: "apart", withoutRowid: true },
  {
    process_id: column(id, PRIMARY),
    kind: text,
    pid: integer,
    started: text,
    host: text,
    url: nullable(text),
    volumes: column(text, { default: "[]", since: 6 }), // that this runner reaches
  },
);

export const LOGIN_CODES = table(
  "login_codes",
  { since: 1, kind: "record", withoutRowid: true },
  { hash: column(text, PRIMARY), expires_at: real },
);
