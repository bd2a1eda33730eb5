// The web console's window: its API under /api/gui, in the shapes of its document and of its real client.
// Each page translates and holds no state; what is not served answers that it is not (fallback.ts).
import type { FastifyPluginAsync } from "fastify";
import type { AppDeps } from "../app.ts";
import { agentPages } from "./console/agent.ts";
import { browserPages } from "./console/browser.ts";
import { chatPages } from "./console/chat.ts";
import { cronPages } from "./console/cron.ts";
import { discoveryPages } from "./console/discovery.ts";
import { consoleErrors } from "./console/envelopes.ts";
import { exportPages } from "./console/export.ts";
import { fallbackPages } from "./console/fallback.ts";
import { logPages } from "./console/logs.ts";
import { gatewayPages } from "./console/gateway.ts";
import { humanPages } from "./console/human.ts";
import { mediaPages } from "./console/media.ts";
import { memoryPages } from "./console/memory.ts";
import { metaPages } from "./console/meta.ts";
import { processPages } from "./console/processes.ts";
import { sessionPages } from "./console/sessions.ts";
import { settingsPages } from "./console/settings.ts";
import { skillPages } from "./console/skills.ts";
import { streamPages } from "./console/stream.ts";
import { transcriptPages } from "./console/transcript.ts";
import { usagePages } from "./console/usage.ts";
import { checkpointPages } from "./console/workspace-checkpoints.ts";
import { workspaceEffectPages } from "./console/workspace-effects.ts";
import { workspacePages } from "./console/workspace.ts";
import type { DialectMount } from "./dialects.ts";

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

export const consoleWindow: DialectMount = (deps) => ({
  routes: async (app) => {
    await app.register(consolePages(deps), { prefix: "/api/gui" });
    // `gui_mount_path` of the document: whoever has it bookmarked finds the page.
    for (const path of ["/app", "/app/"]) app.get(path, (_request, reply) => reply.redirect("/"));
  },
  sockets: [],
});

function consolePages(deps: AppDeps): FastifyPluginAsync {
  return async (app) => {
    consoleErrors(app, deps.logError);
    for (const pages of PAGES) await app.register(pages(deps));
  };
}
