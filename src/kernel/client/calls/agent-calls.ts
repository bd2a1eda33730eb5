// API calls that steer a conversation, and those for projects, files and search.
import type { HitKind } from "../../api/records/search.ts";
import type { filesApi } from "../../api/routes/files.ts";
import type { projectsApi } from "../../api/routes/projects.ts";
import type { searchApi } from "../../api/routes/search.ts";
import type { choicesApi } from "../../api/routes/status.ts";
import type { steeringApi } from "../../api/routes/steering.ts";
import type {
  Branch,
  Compress,
  CreateProject,
  EditMessage,
  MoveQueued,
  Rerun,
  Retry,
  Rollback,
  Undo,
  UpdateProject,
  UpdateSession,
} from "../../events/commands.ts";
import { callsOf, type Calls } from "../calls.ts";

const RUN = "/api/runs/{runId}";
const SESSION = "/api/sessions/{sessionId}";

export function steeringCalls(calls: Calls) {
  const call = callsOf<typeof steeringApi>(calls);
  return {
    /** Null takes the message back. */
    editMessage: (params: { runId: string; messageId: string }, body: EditMessage) =>
      call(`post ${RUN}/messages/{messageId}`, { params, body }),
    moveQueued: (runId: string, body: MoveQueued) =>
      call(`post ${RUN}/move`, { params: { runId }, body }),
    rerun: (runId: string, body: Rerun) => call(`post ${RUN}/rerun`, { params: { runId }, body }),
    undo: (sessionId: string, body: Undo = {}) =>
      call(`post ${SESSION}/undo`, { params: { sessionId }, body }),
    retry: (sessionId: string, body: Retry = {}) =>
      call(`post ${SESSION}/retry`, { params: { sessionId }, body }),
    branch: (sessionId: string, body: Branch = {}) =>
      call(`post ${SESSION}/branch`, { params: { sessionId }, body }),
    compress: (sessionId: string, body: Compress = {}) =>
      call(`post ${SESSION}/compress`, { params: { sessionId }, body }),
    rollback: (sessionId: string, body: Rollback = {}) =>
      call(`post ${SESSION}/rollback`, { params: { sessionId }, body }),
    updateSession: (sessionId: string, body: UpdateSession) =>
      call(`post ${SESSION}/settings`, { params: { sessionId }, body }),
  };
}

export function projectCalls(calls: Calls) {
  const call = callsOf<typeof projectsApi>(calls);
  return {
    projects: async (signal?: AbortSignal) =>
      (await call("get /api/projects", {}, signal)).projects,
    project: (projectId: string, signal?: AbortSignal) =>
      call("get /api/projects/{projectId}", { params: { projectId } }, signal),
    createProject: (body: CreateProject) => call("post /api/projects", { body }),
    updateProject: (projectId: string, body: UpdateProject) =>
      call("post /api/projects/{projectId}", { params: { projectId }, body }),
    deleteProject: (projectId: string) =>
      call("post /api/projects/{projectId}/delete", { params: { projectId } }),
  };
}

export function workCalls(calls: Calls) {
  const call = callsOf<typeof filesApi & typeof searchApi & typeof choicesApi>(calls);
  return {
    runChanges: (runId: string, signal?: AbortSignal) =>
      call(`get ${RUN}/changes`, { params: { runId } }, signal),
    sessionChanges: (sessionId: string, signal?: AbortSignal) =>
      call(`get ${SESSION}/changes`, { params: { sessionId } }, signal),
    /** With a checkpoint: only what that one call did. */
    runDiff: (runId: string, checkpoint_id?: string, signal?: AbortSignal) =>
      call(`get ${RUN}/diff`, { params: { runId }, query: { checkpoint_id } }, signal),
    sessionDiff: (sessionId: string, checkpoint_id?: string, signal?: AbortSignal) =>
      call(`get ${SESSION}/diff`, { params: { sessionId }, query: { checkpoint_id } }, signal),
    spent: (runId: string, signal?: AbortSignal) =>
      call(`get ${RUN}/spent`, { params: { runId } }, signal),
    rules: async (sessionId: string, signal?: AbortSignal) =>
      (await call(`get ${SESSION}/rules`, { params: { sessionId } }, signal)).rules,
    models: async (signal?: AbortSignal) => (await call("get /api/models", {}, signal)).models,
    profiles: async (signal?: AbortSignal) =>
      (await call("get /api/profiles", {}, signal)).profiles,
    search: (query: SearchQuery, signal?: AbortSignal) =>
      call("get /api/search", { query }, signal),
  };
}

export type SearchQuery = {
  readonly q: string;
  readonly kind?: HitKind;
  readonly session?: string;
  readonly limit?: number;
  readonly cursor?: string;
};
