// The calls that steer a conversation, and those for projects, files and finding what was said.
import type {
  ChangesView,
  DiffView,
  ModelsView,
  ProfilesView,
  ProjectRecord,
  SpentRecord,
} from "../../api/records/records.ts";
import type { HitKind, SearchView } from "../../api/records/search.ts";
import type { Rule } from "../../events/catalogue/permissions.ts";
import type {
  Branch,
  Compress,
  CreateProject,
  EditMessage,
  MoveQueued,
  Outcome,
  Rerun,
  Retry,
  Rollback,
  Undo,
  UpdateProject,
  UpdateSession,
} from "../../events/commands.ts";
import type { Calls } from "../api.ts";

const run = (runId: string) => `/api/runs/${encodeURIComponent(runId)}`;
const session = (sessionId: string) => `/api/sessions/${encodeURIComponent(sessionId)}`;
const project = (projectId: string) => `/api/projects/${encodeURIComponent(projectId)}`;

export function steeringCalls({ post }: Calls) {
  return {
    /** Null takes the message back. */
    editMessage: (ids: { runId: string; messageId: string }, command: EditMessage) =>
      post<Outcome>(`${run(ids.runId)}/messages/${encodeURIComponent(ids.messageId)}`, command),
    moveQueued: (runId: string, command: MoveQueued) =>
      post<Outcome>(`${run(runId)}/move`, command),
    rerun: (runId: string, command: Rerun) => post<Outcome>(`${run(runId)}/rerun`, command),
    undo: (sessionId: string, command: Undo = {}) =>
      post<Outcome>(`${session(sessionId)}/undo`, command),
    retry: (sessionId: string, command: Retry = {}) =>
      post<Outcome>(`${session(sessionId)}/retry`, command),
    branch: (sessionId: string, command: Branch = {}) =>
      post<Outcome>(`${session(sessionId)}/branch`, command),
    compress: (sessionId: string, command: Compress = {}) =>
      post<Outcome>(`${session(sessionId)}/compress`, command),
    rollback: (sessionId: string, command: Rollback = {}) =>
      post<Outcome>(`${session(sessionId)}/rollback`, command),
    updateSession: (sessionId: string, command: UpdateSession) =>
      post<Outcome>(`${session(sessionId)}/settings`, command),
  };
}

export function projectCalls({ get, post }: Calls) {
  return {
    projects: async (signal?: AbortSignal) =>
      (await get<{ projects: readonly ProjectRecord[] }>("/api/projects", signal)).projects,
    project: (projectId: string, signal?: AbortSignal) =>
      get<ProjectRecord>(project(projectId), signal),
    createProject: (command: CreateProject) => post<Outcome>("/api/projects", command),
    updateProject: (projectId: string, command: UpdateProject) =>
      post<Outcome>(project(projectId), command),
    deleteProject: (projectId: string) => post<Outcome>(`${project(projectId)}/delete`, {}),
  };
}

export function workCalls({ get }: Calls) {
  const ofCall = (checkpointId: string | undefined) =>
    checkpointId === undefined ? "" : `?checkpoint_id=${encodeURIComponent(checkpointId)}`;
  return {
    runChanges: (runId: string, signal?: AbortSignal) =>
      get<ChangesView>(`${run(runId)}/changes`, signal),
    sessionChanges: (sessionId: string, signal?: AbortSignal) =>
      get<ChangesView>(`${session(sessionId)}/changes`, signal),
    /** With a checkpoint: only what that one call did. */
    runDiff: (runId: string, checkpointId?: string, signal?: AbortSignal) =>
      get<DiffView>(`${run(runId)}/diff${ofCall(checkpointId)}`, signal),
    sessionDiff: (sessionId: string, checkpointId?: string, signal?: AbortSignal) =>
      get<DiffView>(`${session(sessionId)}/diff${ofCall(checkpointId)}`, signal),
    spent: (runId: string, signal?: AbortSignal) => get<SpentRecord>(`${run(runId)}/spent`, signal),
    rules: async (sessionId: string, signal?: AbortSignal) =>
      (await get<{ rules: readonly Rule[] }>(`${session(sessionId)}/rules`, signal)).rules,
    models: async (signal?: AbortSignal) => (await get<ModelsView>("/api/models", signal)).models,
    profiles: async (signal?: AbortSignal) =>
      (await get<ProfilesView>("/api/profiles", signal)).profiles,
    search: (query: SearchQuery, signal?: AbortSignal) => {
      const wanted = new URLSearchParams();
      for (const [name, value] of Object.entries(query)) wanted.set(name, String(value));
      return get<SearchView>(`/api/search?${wanted.toString()}`, signal);
    },
  };
}

export type SearchQuery = {
  readonly q: string;
  readonly kind?: HitKind;
  readonly session?: string;
  readonly limit?: number;
  readonly cursor?: string;
};
