// The list of all windows and features of the server. A deleted room loses its line here.
import type { FastifyInstance, FastifyPluginAsync } from "fastify";
import { browserRoutes } from "../features/browser/server/routes.ts";
import { demoRoutes } from "../features/demo/server/routes.ts";
import { insightRoutes } from "../features/insights/server/routes.ts";
import { metricsRoom } from "../features/insights/server/metrics/metrics.ts";
import { logRoutes } from "../features/logs/server/routes.ts";
import { memoryRoutes } from "../features/memory/server/routes.ts";
import { gatewayRoom } from "../features/messengers/server/routes.ts";
import { pushRoom } from "../features/push/server/routes.ts";
import { cronRoutes } from "../features/schedules/server/routes.ts";
import { shareRoutes } from "../features/share/server/routes.ts";
import { skillRoutes } from "../features/skills/server/routes.ts";
import { terminalsRoom } from "../features/terminals/server/routes.ts";
import { mediaRoom } from "../features/voice/server/routes.ts";
import { createServer, type AppDeps } from "../kernel/server/app.ts";
import type { Room } from "../kernel/server/room.ts";
import { WINDOWS } from "../windows/windows.ts";

const api =
  (routes: (deps: AppDeps) => FastifyPluginAsync): Room =>
  (deps) => ({ routes: routes(deps), prefix: "/api" });

const ROOMS: readonly Room[] = [
  ...WINDOWS,
  api(browserRoutes),
  api(cronRoutes),
  api(demoRoutes),
  api(insightRoutes),
  api(logRoutes),
  api(memoryRoutes),
  api(shareRoutes),
  api(skillRoutes),
  gatewayRoom,
  mediaRoom,
  metricsRoom,
  pushRoom,
  terminalsRoom,
];

export function createApp(deps: AppDeps): Promise<FastifyInstance> {
  return createServer(deps, ROOMS);
}
