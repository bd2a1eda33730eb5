// Typed calls to the server, for a browser (cookie and the proof of its login) and for everything else (bearer
// token). Every failure is an ApiFailure; an Outcome that says "too late" is an answer, not a failure.
import type {
  CancelRun,
  CreateSession,
  Outcome,
  QueueMessage,
  RespondApproval,
  RespondClarify,
  StartRun,
  UpdateGoal,
} from "../events/commands.ts";
import { projectCalls, steeringCalls, workCalls } from "./calls/agent-calls.ts";
import { attachmentCalls } from "./calls/attachment-calls.ts";
import { CSRF_HEADER } from "../events/login-proof.ts";
import { inboxCalls } from "./calls/inbox-calls.ts";
import { readEnvelope, refuseUnlessOk, toApiFailure } from "./api-failure.ts";
import { modelCalls } from "./calls/models-calls.ts";
import { workspaceCalls } from "./calls/workspace-calls.ts";
import type { RunRecord, ServerStatus, SessionDetails, SessionRecord } from "./records.ts";

export type Credentials =
  | { readonly kind: "bearer"; readonly token: string }
  /** The proof is asked for each time: another tab may have logged in again. */
  | { readonly kind: "cookie"; readonly csrf: () => string | null };

export type ApiOptions = { readonly base: string; readonly credentials: Credentials };

type Call = {
  readonly method?: "GET" | "POST";
  readonly path: string;
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
  readonly accept?: string;
};

export type Api = ReturnType<typeof createApi>;

export function createApi({ base, credentials }: ApiOptions) {
  const send = async ({ method = "GET", path, body, signal, accept }: Call): Promise<Response> => {
    try {
      return await fetch(`${base}${path}`, {
        method,
        headers: {
          accept: accept ?? "application/json",
          ...(body !== undefined && { "content-type": "application/json" }),
          ...proofOf(credentials),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        ...(signal && { signal }),
      });
    } catch (error) {
      signal?.throwIfAborted(); // being told to stop is not a failure of the server
      throw toApiFailure(error);
    }
  };
  const get = async <Data>(path: string, signal?: AbortSignal) =>
    (await readEnvelope(await send({ path, signal }))) as Data;
  const post = async <Data>(path: string, body: unknown, signal?: AbortSignal) =>
    (await readEnvelope(await send({ method: "POST", path, body, signal }))) as Data;

  return {
    /** For the calls of parts that are loaded later: `cronCalls(api.calls)`. */
    calls: { get, post },
    ...authCalls({ get, post }),
    ...runCalls({ get, post }),
    ...sessionCalls({ get, post }),
    ...steeringCalls({ get, post }),
    ...projectCalls({ get, post }),
    ...workCalls({ get, post }),
    ...workspaceCalls({ get, post }),
    ...inboxCalls({ get, post }),
    ...attachmentCalls(base, () => proofOf(credentials)),
    ...modelCalls({ get, post }),
    status: (signal?: AbortSignal) => get<ServerStatus>("/api/status", signal),
    /** An open event stream; throws when the server refuses it. */
    events: async (path: string, signal: AbortSignal): Promise<Response> =>
      refuseUnlessOk(await send({ path, signal, accept: "text/event-stream" })),
    /** The body of an answer that is not JSON; throws when the server refuses. */
    download: async (path: string, signal: AbortSignal): Promise<Response> =>
      refuseUnlessOk(await send({ path, signal, accept: "*/*" })),
    /** What to `download` to play a sound. */
    mediaUrl: (sha256: string) => `/api/media/${encodeURIComponent(sha256)}`,
    /** What to `download`. With a name: what the file is called when it is kept. */
    blobUrl: (sha256: string, name?: string) =>
      `/api/blobs/${encodeURIComponent(sha256)}${name === undefined ? "" : `?name=${encodeURIComponent(name.toWellFormed())}`}`,
  };
}

export type Calls = {
  get: <Data>(path: string, signal?: AbortSignal) => Promise<Data>;
  post: <Data>(path: string, body: unknown, signal?: AbortSignal) => Promise<Data>;
};

function authCalls({ get, post }: Calls) {
  return {
    login: (code: string) => post<{ csrf: string }>("/api/auth/login", { code }),
    authSession: (signal?: AbortSignal) =>
      get<{ authenticated: true }>("/api/auth/session", signal),
  };
}

function runCalls({ get, post }: Calls) {
  const run = (runId: string) => `/api/runs/${encodeURIComponent(runId)}`;
  return {
    startRun: (command: StartRun, signal?: AbortSignal) =>
      post<Outcome>("/api/runs", command, signal),
    run: (runId: string, signal?: AbortSignal) => get<RunRecord>(run(runId), signal),
    cancelRun: (runId: string, command: CancelRun = {}) =>
      post<Outcome>(`${run(runId)}/cancel`, command),
    respondApproval: (ids: { runId: string; approvalId: string }, command: RespondApproval) =>
      post<Outcome>(`${run(ids.runId)}/approvals/${encodeURIComponent(ids.approvalId)}`, command),
    /** Also answers an unknown outcome: check, retry, mark_done or skip. */
    respondClarify: (ids: { runId: string; clarifyId: string }, command: RespondClarify) =>
      post<Outcome>(
        `${run(ids.runId)}/clarifications/${encodeURIComponent(ids.clarifyId)}`,
        command,
      ),
    sendMessage: (runId: string, command: QueueMessage, signal?: AbortSignal) =>
      post<Outcome>(`${run(runId)}/messages`, command, signal),
    killRunner: (runId: string) =>
      post<{ killed_pid: number }>("/api/demo/kill-runner", { run_id: runId }),
  };
}

type SessionPaging = { limit: number; offset: number; pinned?: boolean };

function sessionCalls({ get, post }: Calls) {
  const session = (sessionId: string) => `/api/sessions/${encodeURIComponent(sessionId)}`;
  return {
    sessions: async ({ limit, offset, pinned }: SessionPaging, signal?: AbortSignal) =>
      (
        await get<{ sessions: readonly SessionRecord[] }>(
          `/api/sessions?limit=${limit}&offset=${offset}${pinned ? "&pinned=1" : ""}`,
          signal,
        )
      ).sessions,
    session: (sessionId: string, signal?: AbortSignal) =>
      get<SessionDetails>(session(sessionId), signal),
    createSession: (command: CreateSession) => post<Outcome>("/api/sessions", command),
    updateTitle: (sessionId: string, title: string) =>
      post<Outcome>(`${session(sessionId)}/title`, { title }),
    updateGoal: (sessionId: string, command: UpdateGoal) =>
      post<Outcome>(`${session(sessionId)}/goal`, command),
  };
}

function proofOf(credentials: Credentials): Record<string, string> {
  if (credentials.kind === "bearer") return { authorization: `Bearer ${credentials.token}` };
  const csrf = credentials.csrf();
  return csrf === null ? {} : { [CSRF_HEADER]: csrf };
}
