// How a route of the HTTP API is told as data, and the words its parts have in common.
import type { ErrorCode } from "../events/errors.ts";

export type ApiRoute = {
  readonly method: "get" | "post";
  readonly path: string;
  readonly id: string;
  readonly summary: string;
  readonly tag:
    | "runs"
    | "sessions"
    | "inbox"
    | "files"
    | "processes"
    | "projects"
    | "status"
    | "auth"
    | "blobs"
    | "demo"
    | "push"
    | "cron"
    | "gateway"
    | "house";
  readonly query?: readonly QueryName[];
  readonly headers?: readonly HeaderName[];
  /** Name of the schema of the body. */
  readonly body?: string;
  readonly upload?: true; // the body is a file, not JSON
  /** A command (200 or 202 with an Outcome), a record by the name of its schema, or a stream. */
  readonly answer:
    | "outcome"
    | "run stream"
    | "session stream"
    | "lines"
    | "blob"
    | "metrics"
    | { readonly data: string };
  readonly errors?: readonly ErrorCode[];
  readonly open?: true; // needs no token
};

export const QUERIES = {
  after_seq: "Go on after this number.",
  cursor:
    "Go on after this cursor: `<seq>`, `<log>:<seq>` or `<epoch>/<log>:<seq>`; of a search: `next` of the page before.",
  epoch: "The epoch the cursor is of; another one is `cursor_invalid`.",
  limit: "How many, at most 200.",
  offset: "How many to leave out.",
  checkpoint_id: "Only what this one call did.",
  pinned: "`1`: only pinned ones.",
  name: "What the file is called when it is kept.",
  q: 'What to look for. A search: words in any order, the last maybe half a word; "a phrase"; -not.',
  profile: "Whose conversations; everyone's when left out.",
  role: "`user`, `assistant`, `tool` or `system`.",
  tool: "Only calls of this tool.",
  session: "Only in this session.",
  workspace: "Only runs in this workspace.",
  project: "Only sessions of this project.",
  group: "`session`: of each session the best hit.",
  path: "Relative to the session's workspace, or to the skill.",
  target: "`memory` (the agent's notes) or `user` (about the person).",
  category: "Only those of this category.",
  words: "Only those whose name or description has all these words.",
  depth: "How many levels, at most 6; 1 when left out.",
  hidden: "`1`: with names that begin with a dot.",
  first_line: "Its number; 1 when left out.",
  lines: "How many lines, at most 2000.",
  glob: "Only such files, e.g. `*.ts` or `src/**`.",
  regex: "`1`: what to look for is a regular expression.",
  in: "`names` or `contents`; both when left out.",
  fold: "A reducer's number: what the server made of the first events may come in their place.",
  types: "Only these, separated by commas; `login` means all that begin so.",
  by: "Only what they did; of insights: day, model, profile, session, workspace or tool.",
  since: "Only what happened at or after this time, in unix seconds.",
  upto: "Only what happened before this time, in unix seconds.",
  before: "Only what is older than this `seq`.",
  kind: "Of a search: `message`, `tool`, `file`, `error`, with commas between. Of logs: `errors` (when left out), `serve`, `work`, `gateway`, `cron` or `tool_debug`.",
  level: "`debug`, `info`, `warn` or `error`: these and worse.",
  after: "Only what follows this place: `next` of an earlier answer.",
  follow: "`1`: wait (at most 25 s) until there is something.",
  to: "Only the events up to this `session_seq`; of insights: the last day, `YYYY-MM-DD`.",
  from: "The first day, `YYYY-MM-DD`.",
  days: "The last so many days, today included, at most 366; 30 when left out.",
  tz: "Whose days, e.g. `Europe/Berlin`; UTC when left out.",
  session_id: "Only of this session.",
  format: "`html` (a page that opens offline; when left out) or `json` (lines).",
  policy: "`share` (when left out) or `full`.",
  without:
    "What to leave out as well, with commas: `tool-output`, `files`, `thinking`, `paths`, `environment`.",
  again: "`1`: as another session, also when this file is here already.",
  of: "`worktree` (what is not staged; when left out), `index` (what is), or `commit`.",
  commit: "Its hash, or the beginning of it.",
  first_byte: "Of all it printed; 0 when left out.",
  bytes: "How many, at most 262144.",
  wait_s: "How long to wait for more, at most 25; not at all when left out.",
  until: "Only what happened up to this `session_seq`; of a search: up to these Unix seconds.",
  schedule: "As a person writes it.",
  time_zone: "An IANA name; `UTC` when left out.",
  count: "How many times, at most 20; 5 when left out.",
} as const;
export const HEADERS = {
  "Last-Event-ID": "The cursor, as an EventSource sends it by itself.",
  "Idempotency-Key": "The same as `message_id` in the body.",
  Range: "One range of bytes.",
  "X-File-Name": "The file's name, URI-encoded.",
} as const;
export const PARAMETERS: Readonly<Record<string, string>> = {
  runId: "The run's id.",
  sessionId: "The session's id.",
  requestId: "The id of an approval, a question, or an unknown outcome.",
  messageId: "The id of a message of the run.",
  processId: "The id of a command in the background.",
  projectId: "The project's id.",
  terminalId: "The terminal's id.",
  jobId: "The schedule's id.",
  platform: "telegram, slack, discord, webhook or webhook-<name>.",
  webhook: "`default`, or the webhook's own name.",
  sha256: "SHA-256 of the content, in hex.",
  profile: "The profile's name.",
  name: "The skill's name.",
};
type QueryName = keyof typeof QUERIES;
type HeaderName = keyof typeof HEADERS;

export const CURSOR = {
  query: ["after_seq", "cursor", "epoch"],
  headers: ["Last-Event-ID"],
} as const;
export const NO_RUN = ["run_not_found"] as const;
export const NO_SESSION = ["session_not_found"] as const;

type Rest = Partial<Pick<ApiRoute, "query" | "headers" | "body" | "upload" | "errors" | "open">>;
type RouteOptions = Pick<ApiRoute, "id" | "tag" | "summary" | "answer"> & Rest;
export const get = (path: string, options: RouteOptions): ApiRoute => ({
  method: "get",
  path,
  ...options,
});
export const post = (path: string, options: RouteOptions): ApiRoute => ({
  method: "post",
  path,
  ...options,
});
export const command = (body: string, errors: readonly ErrorCode[]) =>
  ({ body, answer: "outcome", errors: [...errors, "idempotency_conflict"] }) as const;
