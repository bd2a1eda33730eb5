// The manifest, icons and service worker of the installable page. They need no login: a browser requests them without
// the cookie, and they hold nothing private.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { FastifyPluginAsync } from "fastify";
import { ApiError } from "../events/errors.ts";

type AppFile = { readonly path: string; readonly type: string };

const FILES: readonly AppFile[] = [
  { path: "/sw.js", type: "text/javascript; charset=utf-8" },
  { path: "/manifest.webmanifest", type: "application/manifest+json" },
  { path: "/icons/icon-192.png", type: "image/png" },
  { path: "/icons/icon-512.png", type: "image/png" },
];

export const APP_FILES: readonly string[] = FILES.map(({ path }) => path);

export function appFiles(root: string): FastifyPluginAsync {
  return async (app) => {
    for (const { path, type } of FILES) {
      app.get(path, async (_request, reply) => {
        const content = await readFile(join(root, path)).catch(() => {
          throw new ApiError("not_found", "The page has not been built.");
        });
        return reply
          .header("cache-control", "no-cache") // a kept service worker would keep an old page
          .header("content-security-policy", "default-src 'none'; connect-src 'self'")
          .type(type)
          .send(content);
      });
    }
  };
}
