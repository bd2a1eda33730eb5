// Everything of the console's API that is not served here. Its clients request a hundred things at start; each gets
// the capability envelope instead of a 404, and no body is read.
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
