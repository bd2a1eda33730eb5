// The web console's window: its API under /api/gui, in the shapes of its document and of its real client.
// Each page translates and holds no state; what is not served answers that it is not (fallback.ts).
import type { FastifyPluginAsync } from "fastify";
import type { AppDeps } from "../../kernel/server/app.ts";
import { agentPages } from "./agent.ts";
import { browserPages } from "./browser.ts";
import { chatPages } from "./chat/chat.ts";
import { cronPages } from "./cron.ts";
import { discoveryPages } from "./discovery.ts";
import { consoleErrors } from "./envelopes.ts";
import { exportPages } from "./sessions/export.ts";
import { fallbackPages } from "./fallback.ts";
import { logPages } from "./logs.ts";
import { gatewayPages } from "./gateway.ts";
import { humanPages } from "./human/human.ts";
import { mediaPages } from "./media.ts";
import { memoryPages } from "./memory.ts";
import { metaPages } from "./meta.ts";
import { processPages } from "./processes.ts";
import { sessionPages } from "./sessions/sessions.ts";
import { settingsPages } from "./settings.ts";
import { skillPages } from "./skills.ts";
import { streamPages } from "./stream/stream.ts";
import { transcriptPages } from "./sessions/transcript.ts";
import { usagePages } from "./usage.ts";
import { checkpointPages } from "./workspace/checkpoints.ts";
import { workspaceEffectPages } from "./workspace/effects.ts";
import { workspacePages } from "./workspace/workspace.ts";
import type { Room } from "../../kernel/server/room.ts";

type Pages = (deps: AppDeps) => FastifyPluginAsync;

const PAGES: readonly Pages[] = [
  metaPages,
  chatPages,
  sessionPages,
  transcriptPages,
  exportPages,
  humanPages,
  discoveryPages,
  logPages,
  settingsPages,
  workspacePages,
  checkpointPages,
  workspaceEffectPages,
  processPages,
  cronPages,
  mediaPages,
  memoryPages,
  skillPages,
  streamPages,
  usagePages,
  gatewayPages,
  browserPages,
  agentPages,
  fallbackPages,
];

export const consoleWindow: Room = (deps) => ({
  routes: async (app) => {
    await app.register(consolePages(deps), { prefix: "/api/gui" });
    // `gui_mount_path` of the document: whoever has it bookmarked finds the page.
    for (const path of ["/app", "/app/"]) app.get(path, (_request, reply) => reply.redirect("/"));
  },
  open: ["/api/gui/health", "/app", "/app/"],
});

function consolePages(deps: AppDeps): FastifyPluginAsync {
  return async (app) => {
    consoleErrors(app, deps.logError);
    for (const pages of PAGES) await app.register(pages(deps));
  };
}
