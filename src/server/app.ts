// Builds the HTTP surface. Routes translate; they hold no run state of their own.
import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import Fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from "fastify";
import type { Defaults, Journal } from "../journal/journal.ts";
import { ApiError, ERRORS, toEnvelope, type ErrorCode } from "../protocol/errors.ts";
import { authenticate, checkReach, type AuthOptions } from "./auth.ts";
import { StorageFullError } from "../journal/database.ts";
import { parseBody } from "./json-body.ts";
import { authRoutes } from "./routes/auth.ts";
import { blobRoutes } from "./routes/blobs.ts";
import { consoleRoutes } from "./routes/console.ts";
import { demoRoutes } from "./routes/demo.ts";
import { fileRoutes } from "./routes/files.ts";
import { projectRoutes } from "./routes/projects.ts";
import { runRoutes } from "./routes/runs.ts";
import { sessionRoutes } from "./routes/sessions.ts";
import { steeringRoutes } from "./routes/steering.ts";
import { statusRoutes, type StatusInfo } from "./routes/status.ts";
import type { Streams } from "./sse.ts";
import { webPages } from "./static.ts";

export type AppDeps = {
  journal: Journal;
  auth: AuthOptions;
  streams: Streams;
  defaults: Defaults;
  /** The model a profile prefers: of new sessions, where nobody chose one. */
  profileModel: (profile: string) => Promise<string | null>;
  info: StatusInfo;
  webRoot: string;
  logError: (error: unknown) => void;
};

const MAX_BODY = 1_048_576;
const OPEN_ROUTES = new Set(["/api/gui/health", "/api/auth/login", "/assets/*"]);
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
    exposeHeadRoutes: false, // a HEAD of a stream would never end
    forceCloseConnections: true,
    requestTimeout: 30_000,
    keepAliveTimeout: 65_000,
    frameworkErrors: (error, _request, reply) => {
      const { code, status, envelope } = toAnswer(error);
      if (code === "internal") deps.logError(error);
      void (reply as FastifyReply).headers(SECURITY_HEADERS).status(status).send(envelope);
    },
    clientErrorHandler: refuseBytes,
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    "application/json",
    { parseAs: "buffer" },
    async (_request: unknown, body: Buffer) => parseBody(body),
  );
  app.addHook("onRequest", async (request, reply) => {
    reply.headers(SECURITY_HEADERS);
    checkReach(request, deps.auth);
    if (needsToken(request)) authenticate(request, deps.auth);
  });
  onErrors(app, deps.logError);
  await app.register(runRoutes(deps), { prefix: "/api/runs" });
  await app.register(sessionRoutes(deps), { prefix: "/api" });
  await app.register(steeringRoutes(deps), { prefix: "/api" });
  await app.register(fileRoutes(deps), { prefix: "/api" });
  await app.register(projectRoutes(deps), { prefix: "/api" });
  await app.register(statusRoutes(deps), { prefix: "/api" });
  await app.register(authRoutes(deps), { prefix: "/api/auth" });
  await app.register(blobRoutes(deps.journal), { prefix: "/api/blobs" });
  await app.register(demoRoutes(deps.journal), { prefix: "/api/demo" });
  await app.register(consoleRoutes(deps), { prefix: "/api/gui" });
  await app.register(webPages(deps.webRoot));
  return app;
}

/** Decided by the route that will run: a path can be spelled in many ways (%61pi, http://…/api). */
function needsToken({ routeOptions, url }: FastifyRequest): boolean {
  const route = routeOptions.url;
  return route === undefined ? url.startsWith("/api/") : !OPEN_ROUTES.has(route);
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
    const { code, status, envelope } = toAnswer(error);
    if (code === "internal") logError(error);
    return reply.status(status).send(envelope);
  });
}

function toAnswer(error: FastifyError) {
  const envelope = toEnvelope(toApiError(error));
  const { code } = envelope.error;
  return { code, status: ERRORS[code].status, envelope };
}

/** What is not HTTP, or too much of it, never becomes a request; it is answered all the same. */
function refuseBytes(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy();
  const tooLarge = error.code === "HPE_HEADER_OVERFLOW";
  const refusal = tooLarge
    ? new ApiError("too_large", "The request's head is too large.")
    : new ApiError("invalid_request", "This is not an HTTP request, or it came too slowly.");
  const { status } = ERRORS[refusal.code];
  const body = JSON.stringify(toEnvelope(refusal));
  const headers = {
    ...SECURITY_HEADERS,
    "content-type": "application/json; charset=utf-8",
    "content-length": Buffer.byteLength(body),
    connection: "close",
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${body}`);
  socket.destroySoon();
}

function toApiError(error: FastifyError): unknown {
  if (error instanceof ApiError) return error;
  if (error instanceof StorageFullError) {
    return new ApiError("storage_full", "The disk is full: nothing was changed. Free some space.");
  }
  const status = error.statusCode ?? 500;
  if (status >= 500) return error;
  return new ApiError(BY_STATUS[status] ?? "invalid_request", error.message.slice(0, 300));
}
