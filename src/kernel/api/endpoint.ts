// One record per endpoint. The server's route (server/mount.ts), its OpenAPI operation (src/api/openapi.ts) and the
// client's typed call (client/calls.ts) follow from it. Its key in the record of its area is its operation id.
import { z } from "zod";
import type { Outcome } from "../events/commands.ts";
import type { ErrorCode } from "../events/errors.ts";
import { ClientKey, RunId, SessionId } from "../events/ids.ts";

export const HEADERS = {
  "Last-Event-ID": "The cursor, as an EventSource sends it by itself.",
  "Idempotency-Key": "The same as `message_id` in the body.",
  Range: "One range of bytes.",
  "X-File-Name": "The file's name, URI-encoded.",
} as const;

type Tag =
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

/** A response that the handler writes itself. */
export type RawResponse = "run stream" | "session stream" | "lines" | "blob" | "metrics";

export type Contract = {
  readonly tag: Tag;
  readonly summary: string;
  readonly params?: Readonly<Record<string, z.ZodType<string>>>;
  readonly query?: z.ZodType<object>;
  readonly headers?: readonly (keyof typeof HEADERS)[];
  readonly body?: z.ZodType;
  readonly bodyLimit?: number;
  /** `file`: the body is a file, not JSON. `bytes`: JSON that the handler must see as it was sent. */
  readonly raw?: "file" | "bytes";
  /** Data by its schema, an Outcome (200 or 202), or a response that the handler writes itself. */
  readonly response: z.ZodType | "outcome" | RawResponse;
  readonly errors?: readonly ErrorCode[];
  readonly open?: true; // needs no token
};

export type Endpoint = Contract & { readonly method: "get" | "post"; readonly path: string };
/** The endpoints of an area, by operation id. */
export type Endpoints = Readonly<Record<string, Endpoint>>;

type NamesIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never;
/** Exactly the names in braces must have a schema. */
type InPath<Path extends string> = [NamesIn<Path>] extends [never]
  ? { readonly params?: never }
  : { readonly params: Readonly<Record<NamesIn<Path>, z.ZodType<string>>> };

export const get = <const Path extends string, const Rest extends Contract>(
  path: Path,
  rest: Rest & InPath<Path>,
) => ({ method: "get" as const, path, ...(rest as Rest) });

export const post = <const Path extends string, const Rest extends Contract>(
  path: Path,
  rest: Rest & InPath<Path>,
) => ({ method: "post" as const, path, ...(rest as Rest) });

export const command = <Body extends z.ZodType>(body: Body, errors: readonly ErrorCode[]) =>
  ({ body, response: "outcome", errors: [...errors, "idempotency_conflict"] }) as const;

/** What a handler answers with and a client gets. */
export type ResponseOf<One extends Endpoint> = One["response"] extends z.ZodType
  ? z.output<One["response"]>
  : One["response"] extends "outcome"
    ? Outcome
    : never;

export const NO_RUN = ["run_not_found"] as const;
export const NO_SESSION = ["session_not_found"] as const;
export const BY_RUN = { runId: RunId.describe("The run's id.") } as const;
export const BY_SESSION = { sessionId: SessionId.describe("The session's id.") } as const;
/** The profile's name is checked where profiles are read. */
export const BY_PROFILE = { profile: z.string().describe("The profile's name.") } as const;
export const BY_CONTENT = {
  sha256: z.string().describe("SHA-256 of the content, in hex."),
} as const;
export const FileNameQuery = z.object({
  name: z
    .unknown()
    .optional()
    .meta({ type: "string", description: "What the file is called when it is kept." }),
});
export const REQUEST_ID = "The id of an approval, a question, or an unknown outcome.";
export const BY_MESSAGE = {
  ...BY_RUN,
  messageId: ClientKey.describe("The id of a message of the run."),
} as const;
