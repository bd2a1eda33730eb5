// Every endpoint of the HTTP API by operation id, as openapi.ts describes it.
import { browserApi } from "../features/browser/api.ts";
import { demoApi } from "../features/demo/api.ts";
import { insightsApi, metricsApi } from "../features/insights/api.ts";
import { logsApi } from "../features/logs/api.ts";
import { memoryApi } from "../features/memory/api.ts";
import { messengersApi, webhookApi } from "../features/messengers/api.ts";
import { pushApi } from "../features/push/api.ts";
import { schedulesApi } from "../features/schedules/api.ts";
import { importApi, shareApi } from "../features/share/api.ts";
import { skillsApi } from "../features/skills/api.ts";
import { terminalsApi } from "../features/terminals/api.ts";
import { mediaApi } from "../features/voice/api.ts";
import type { Endpoint } from "../kernel/api/endpoint.ts";
import { attachmentsApi } from "../kernel/api/routes/attachments.ts";
import { auditApi } from "../kernel/api/routes/audit.ts";
import { authApi } from "../kernel/api/routes/auth.ts";
import { blobsApi } from "../kernel/api/routes/blobs.ts";
import { filesApi } from "../kernel/api/routes/files.ts";
import { inboxApi } from "../kernel/api/routes/inbox.ts";
import { modelTestApi } from "../kernel/api/routes/models.ts";
import { processesApi } from "../kernel/api/routes/processes.ts";
import { projectsApi } from "../kernel/api/routes/projects.ts";
import { runsApi } from "../kernel/api/routes/runs.ts";
import { searchApi } from "../kernel/api/routes/search.ts";
import { sessionsApi } from "../kernel/api/routes/sessions.ts";
import { settingsApi } from "../kernel/api/routes/settings.ts";
import { choicesApi, statusApi } from "../kernel/api/routes/status.ts";
import { steeringApi } from "../kernel/api/routes/steering.ts";
import { workspaceApi } from "../kernel/api/routes/workspace.ts";

const AREAS = [
  steeringApi,
  filesApi,
  searchApi,
  choicesApi,
  projectsApi,
  workspaceApi,
  processesApi,
  terminalsApi,
  pushApi,
  inboxApi,
  auditApi,
  logsApi,
  settingsApi,
  schedulesApi,
  browserApi,
  messengersApi,
  webhookApi,
  memoryApi,
  skillsApi,
  attachmentsApi,
  mediaApi,
  modelTestApi,
  insightsApi,
  metricsApi,
  shareApi,
  importApi,
  runsApi,
  sessionsApi,
  statusApi,
  authApi,
  blobsApi,
  demoApi,
];

export type ApiRoute = Endpoint & { readonly id: string };
export const API_ROUTES: readonly ApiRoute[] = AREAS.flatMap((area) =>
  Object.entries<Endpoint>(area).map(([id, endpoint]) => ({ id, ...endpoint })),
);
