// How a route of the HTTP API is told as data, and the words its parts have in common.
import type { ErrorCode } from "./errors.ts";

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
    | "projects"
    | "status"
    | "auth"
    | "blobs"
    | "demo"
    | "push";
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
    | { readonly data: string };
  readonly errors?: readonly ErrorCode[];
  readonly open?: true; // needs no token
};

export const QUERIES = {
  after_seq: "Go on after this number.",
  cursor: "Go on after this cursor: `<seq>`, `<log>:<seq>` or `<epoch>/<log>:<seq>`.",
  epoch: "The epoch the cursor is of; another one is `cursor_invalid`.",
  limit: "How many, at most 200.",
  offset: "How many to leave out.",
  checkpoint_id: "Only what this one call did.",
  pinned: "`1`: only pinned ones.",
  name: "What the file is called when it is kept.",
  q: "What to look for. Of messages: words in any order; the last may be half a word.",
  profile: "Whose conversations; `default` when left out.",
  path: "Relative to the session's workspace.",
  depth: "How many levels, at most 6; 1 when left out.",
  hidden: "`1`: with names that begin with a dot.",
  first_line: "Its number; 1 when left out.",
  lines: "How many lines, at most 2000.",
  glob: "Only such files, e.g. `*.ts` or `src/**`.",
  regex: "`1`: what to look for is a regular expression.",
  in: "`names` or `contents`; both when left out.",
  fold: "A reducer's number: what the server made of the first events may come in their place.",
  to: "Only the events up to this `session_seq`.",
  until: "Only what happened up to this `session_seq`.",
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
  projectId: "The project's id.",
  sha256: "SHA-256 of the content, in hex.",
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
type Told = Pick<ApiRoute, "id" | "tag" | "summary" | "answer"> & Rest;
export const get = (path: string, told: Told): ApiRoute => ({ method: "get", path, ...told });
export const post = (path: string, told: Told): ApiRoute => ({ method: "post", path, ...told });
export const command = (body: string, errors: readonly ErrorCode[]) =>
  ({ body, answer: "outcome", errors: [...errors, "idempotency_conflict"] }) as const;
