// The web page: files from the build, and index.html for every path that is a place in the page.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fastifyStatic from "@fastify/static";
import type { FastifyPluginAsync } from "fastify";
import { ApiError } from "../protocol/errors.ts";

const CSP = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types quarterdeck dompurify",
].join("; ");

// The places of the page, as src/web/use-route.ts names them.
const PLACES = /^\/(?:$|s\/|approve\/|inbox$|settings$)/;

const NOT_BUILT =
  '<!doctype html><meta charset="utf-8"><title>Quarterdeck</title>' +
  "<p>The page has not been built. Run <code>npm start</code>, or <code>node scripts/build-web.ts</code>.";

export function webPages(root: string): FastifyPluginAsync {
  const index = join(root, "index.html");
  return async (app) => {
    if (existsSync(root)) {
      await app.register(fastifyStatic, {
        root: join(root, "assets"),
        prefix: "/assets/",
        immutable: true,
        maxAge: "365d",
        index: false,
        decorateReply: false,
      });
    }
    app.setNotFoundHandler((request, reply) => {
      const path = request.url.split("?")[0] ?? "";
      const isPage = request.method === "GET" && PLACES.test(path);
      if (!isPage) throw new ApiError("not_found", `There is nothing at ${path.slice(0, 200)}.`);
      const html = existsSync(index) ? readFileSync(index, "utf8") : NOT_BUILT;
      return reply
        .header("content-security-policy", CSP)
        .header("cache-control", "no-store")
        .type("text/html; charset=utf-8")
        .send(html);
    });
  };
}
