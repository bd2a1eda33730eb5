// Typed calls to the server, for a browser (cookie and the proof of its login) and for everything else (bearer
// token). Every failure is an ApiFailure; an Outcome that says "too late" is an answer, not a failure.
import type {
  CancelRun,
  CreateSession,
  QueueMessage,
  RespondApproval,
  RespondClarify,
  StartRun,
  UpdateGoal,
} from "../events/commands.ts";
import { projectCalls, steeringCalls, workCalls } from "./calls/agent-calls.ts";
import { attachmentCalls } from "./calls/attachment-calls.ts";
import type { authApi } from "../api/routes/auth.ts";
import type { blobsApi } from "../api/routes/blobs.ts";
import type { runsApi } from "../api/routes/runs.ts";
import type { sessionsApi } from "../api/routes/sessions.ts";
import type { statusApi } from "../api/routes/status.ts";
import { callsOf, pathsOf, type Calls } from "./calls.ts";
import { CSRF_HEADER } from "../events/login-proof.ts";
import { readEnvelope, refuseUnlessOk, toApiFailure } from "./api-failure.ts";
import { workspaceCalls } from "./calls/workspace-calls.ts";
import type { inboxApi } from "../api/routes/inbox.ts";
import type { TestModel } from "../api/records/records.ts";
import type { modelTestApi } from "../api/routes/models.ts";

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
    /** For parts that are loaded later: `callsOf<typeof theirApi>(api.calls)`. */
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
      pathsOf<typeof blobsApi>()("/api/blobs/{sha256}", {
        params: { sha256 },
        query: { name: name?.toWellFormed() },
      }),
  };
}

function authCalls(calls: Calls) {
  const call = callsOf<typeof authApi>(calls);
  return {
    login: (code: string) => call("post /api/auth/login", { body: { code } }),
    authSession: (signal?: AbortSignal) => call("get /api/auth/session", {}, signal),
  };
}

function runCalls(calls: Calls) {
  const call = callsOf<typeof runsApi>(calls);
  return {
    startRun: (body: StartRun, signal?: AbortSignal) => call("post /api/runs", { body }, signal),
    run: (runId: string, signal?: AbortSignal) =>
      call("get /api/runs/{runId}", { params: { runId } }, signal),
    cancelRun: (runId: string, body: CancelRun = {}) =>
      call("post /api/runs/{runId}/cancel", { params: { runId }, body }),
    respondApproval: (ids: { runId: string; approvalId: string }, body: RespondApproval) => {
      const params = { runId: ids.runId, requestId: ids.approvalId };
      return call("post /api/runs/{runId}/approvals/{requestId}", { params, body });
    },
    /** Also answers an unknown outcome: check, retry, mark_done or skip. */
    respondClarify: (ids: { runId: string; clarifyId: string }, body: RespondClarify) => {
      const params = { runId: ids.runId, requestId: ids.clarifyId };
      return call("post /api/runs/{runId}/clarifications/{requestId}", { params, body });
    },
    sendMessage: (runId: string, body: QueueMessage, signal?: AbortSignal) =>
      call("post /api/runs/{runId}/messages", { params: { runId }, body }, signal),
    /** Of the demo, a feature: the kernel knows only its address. */
    killRunner: (run_id: string) =>
      calls.post<{ killed_pid: number }>("/api/demo/kill-runner", { run_id }),
  };
}

type SessionPaging = { limit: number; offset: number; pinned?: boolean };

function sessionCalls(calls: Calls) {
  const call = callsOf<typeof sessionsApi & typeof statusApi>(calls);
  return {
    sessions: async ({ limit, offset, pinned = false }: SessionPaging, signal?: AbortSignal) => {
      const query = { limit, offset, ...(pinned && { pinned: "1" as const }) };
      return (await call("get /api/sessions", { query }, signal)).sessions;
    },
    session: (sessionId: string, signal?: AbortSignal) =>
      call("get /api/sessions/{sessionId}", { params: { sessionId } }, signal),
    createSession: (body: CreateSession) => call("post /api/sessions", { body }),
    updateTitle: (sessionId: string, title: string) =>
      call("post /api/sessions/{sessionId}/title", { params: { sessionId }, body: { title } }),
    updateGoal: (sessionId: string, body: UpdateGoal) =>
      call("post /api/sessions/{sessionId}/goal", { params: { sessionId }, body }),
    status: (signal?: AbortSignal) => call("get /api/status", {}, signal),
  };
}

function proofOf(credentials: Credentials): Record<string, string> {
  if (credentials.kind === "bearer") return { authorization: `Bearer ${credentials.token}` };
  const csrf = credentials.csrf();
  return csrf === null ? {} : { [CSRF_HEADER]: csrf };
}

// API calls for the inbox.
function inboxCalls(calls: Calls) {
  const call = callsOf<typeof inboxApi>(calls);
  return {
    inbox: (signal?: AbortSignal) => call("get /api/inbox", {}, signal),
    request: (requestId: string, signal?: AbortSignal) =>
      call("get /api/requests/{requestId}", { params: { requestId } }, signal),
  };
}

// API call that tests a model.
function modelCalls(calls: Calls) {
  const call = callsOf<typeof modelTestApi>(calls);
  return {
    /** Really asks the model. Aborting hangs up, and the server stops asking. */
    testModel: (body: TestModel, signal?: AbortSignal) =>
      call("post /api/models/test", { body }, signal),
  };
}
