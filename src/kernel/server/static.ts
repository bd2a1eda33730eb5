// Serves the built page, and index.html for every path that is a place in the page.
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fastifyStatic from "@fastify/static";
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from "fastify";
import { ApiError } from "../events/errors.ts";

const CSP = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "media-src 'self' blob:",
  "connect-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types quarterdeck quarterdeck-worker dompurify",
].join("; ");

// The frame diagrams are drawn in: of no origin, without network. It cannot even ask for its scripts
// (requests of no origin are refused), so they stand in the page, and the policy names them by their hash.
const DRAWING_SCRIPT = /^(?:mermaid\.tiny|diagram-frame)-[\w-]{1,40}\.js$/;
const drawingCsp = (scripts: readonly string[]) =>
  [
    "default-src 'none'",
    `script-src ${scripts.map((script) => `'sha256-${sha256(script)}'`).join(" ")}`,
    "style-src 'unsafe-inline'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
    "sandbox allow-scripts",
  ].join("; ");

// The places of the page, as src/web/use-route.ts names them.
const PLACES = /^\/(?:$|s\/|approve\/|inbox$|settings$)/;

const FOR_PROGRAMS = /^\/(?:api|v1|assets|health|ws|icons)(?:\/|$)/;

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
      if (request.method === "GET" && path === "/diagram") {
        return sendDrawingFrame(join(root, "assets"), request, reply);
      }
      if (request.method !== "GET" || !isPlace(path, request.headers.accept)) {
        throw new ApiError("not_found", `There is nothing at ${path.slice(0, 200)}.`);
      }
      const html = existsSync(index) ? readFileSync(index, "utf8") : NOT_BUILT;
      return reply
        .header("content-security-policy", CSP)
        .header("cache-control", "no-store")
        .type("text/html; charset=utf-8")
        .send(html);
    });
  };
}

/** Whoever types an address gets the page, which knows where to go from there; programs get an answer. */
function isPlace(path: string, accept: string | undefined): boolean {
  if (PLACES.test(path)) return true;
  return accept?.includes("text/html") === true && !FOR_PROGRAMS.test(path);
}

function sendDrawingFrame(
  assets: string,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const { library, frame } = request.query as Record<string, unknown>;
  const scripts = [library, frame].map((name) => {
    const path = typeof name === "string" && DRAWING_SCRIPT.test(name) ? join(assets, name) : "";
    if (!existsSync(path)) throw new ApiError("not_found", "There is no such frame.");
    // Inside a page these would end the script, or begin a comment; in JavaScript they mean the same.
    return readFileSync(path, "utf8")
      .replaceAll(/<(?=\/script)/gi, String.raw`\x3c`)
      .replaceAll("<!--", String.raw`\x3c!--`);
  });
  const page = scripts.map((script) => `<script>${script}</script>`).join("");
  return reply
    .header("content-security-policy", drawingCsp(scripts))
    .header("x-frame-options", "SAMEORIGIN")
    .header("cache-control", "private, max-age=31536000, immutable") // its address names the content
    .type("text/html; charset=utf-8")
    .send(`<!doctype html><meta charset="utf-8"><title>Diagram</title><body>${page}`);
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("base64");
}
