// Builds the HTTP surface. Routes translate; they hold no run state of their own.
import Fastify, { type FastifyError, type FastifyInstance } from "fastify";
import type { Defaults, Journal } from "../journal/journal.ts";
import { ApiError, ERRORS, toEnvelope, type ErrorCode } from "../protocol/errors.ts";
import { authenticate, checkReach, type AuthOptions } from "./auth.ts";
import { StorageFullError } from "../journal/database.ts";
import { parseBody } from "./json-body.ts";
import { authRoutes } from "./routes/auth.ts";
import { blobRoutes } from "./routes/blobs.ts";
import { consoleRoutes } from "./routes/console.ts";
import { demoRoutes } from "./routes/demo.ts";
import { runRoutes } from "./routes/runs.ts";
import { sessionRoutes } from "./routes/sessions.ts";
import { statusRoutes, type StatusInfo } from "./routes/status.ts";
import type { Streams } from "./sse.ts";
import { webPages } from "./static.ts";

export type AppDeps = {
  journal: Journal;
  auth: AuthOptions;
  streams: Streams;
  defaults: Defaults;
  info: StatusInfo;
  webRoot: string;
  logError: (error: unknown) => void;
};

const MAX_BODY = 1_048_576;
const OPEN_PATHS = new Set(["/api/gui/health", "/api/auth/login"]);
const SECURITY_HEADERS = {
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
} as const;

export async function createApp(deps: AppDeps): Promise<FastifyInstance> {
  const app = Fastify({
    bodyLimit: MAX_BODY,
    routerOptions: { maxParamLength: 300 },
    forceCloseConnections: true,
    requestTimeout: 30_000,
    keepAliveTimeout: 65_000,
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    "application/json",
    { parseAs: "string" },
    async (_request: unknown, body: string) => parseBody(body),
  );
  app.addHook("onRequest", async (request, reply) => {
    reply.headers(SECURITY_HEADERS);
    checkReach(request, deps.auth);
    const path = request.url.split("?")[0] ?? "";
    if (path.startsWith("/api/") && !OPEN_PATHS.has(path)) authenticate(request, deps.auth);
  });
  onErrors(app, deps.logError);
  await app.register(runRoutes(deps), { prefix: "/api/runs" });
  await app.register(sessionRoutes(deps), { prefix: "/api" });
  await app.register(statusRoutes(deps), { prefix: "/api" });
  await app.register(authRoutes(deps), { prefix: "/api/auth" });
  await app.register(blobRoutes(deps.journal), { prefix: "/api/blobs" });
  await app.register(demoRoutes(deps.journal), { prefix: "/api/demo" });
  await app.register(consoleRoutes(deps), { prefix: "/api/gui" });
  await app.register(webPages(deps.webRoot));
  return app;
}

const BY_STATUS: Record<number, ErrorCode> = {
  404: "not_found",
  405: "method_not_allowed",
  413: "too_large",
  415: "unsupported_media_type",
};

// The only place an exception becomes a response.
function onErrors(app: FastifyInstance, logError: (error: unknown) => void): void {
  app.setErrorHandler((error: FastifyError, _request, reply) => {
    const known = toApiError(error);
    const envelope = toEnvelope(known);
    if (envelope.error.code === "internal") logError(error);
    return reply.status(ERRORS[envelope.error.code].status).send(envelope);
  });
}

function toApiError(error: FastifyError): unknown {
  if (error instanceof ApiError) return error;
  if (error instanceof StorageFullError) {
    return new ApiError("storage_full", "The disk is full: nothing was changed. Free some space.");
  }
  const status = error.statusCode ?? 500;
  if (status >= 500) return error;
  return new ApiError(BY_STATUS[status] ?? "invalid_request", error.message);
}
