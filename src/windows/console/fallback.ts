// Everything of the console's API that is not served here. Its clients ask for a hundred things when they
// start; each gets the capability envelope, never a 404, and none of it is read.
import type { FastifyPluginAsync } from "fastify";
import { capability } from "./envelopes.ts";

const NAMESPACES = new Set([
  "workspace",
  "processes",
  "memory",
  "user-profile",
  "skills",
  "cron",
  "gateway",
  "models",
  "profiles",
  "tools",
  "toolsets",
  "plugins",
  "mcp",
  "usage",
  "missions",
  "auth-status",
  "auth",
  "credentials",
  "system",
]);
const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"];

export function fallbackPages(): FastifyPluginAsync {
  return async (app) => {
    app.removeAllContentTypeParsers();
    app.addContentTypeParser("*", (_request, _payload, done) => done(null)); // uploads too
    app.route({
      method: METHODS,
      url: "/*",
      handler: async ({ params, method }) => {
        const path = (params as { "*": string })["*"];
        const [first = ""] = path.split("/");
        if (!NAMESPACES.has(first)) {
          return capability("unknown_endpoint", { namespace: first.slice(0, 64), method });
        }
        const reason = `${first.replaceAll("-", "_")}_unavailable`;
        return capability(reason, { namespace: first, method });
      },
    });
  };
}
