// Builds the HTTP server. Routes translate requests; they hold no run state.
import type { ServerOptions } from "node:http";
import type { Socket } from "node:net";
import Fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyPluginAsync,
  type FastifyReply,
  type FastifyRequest,
} from "fastify";
import type { Defaults, Journal } from "../journal/journal.ts";
import { ApiError } from "../events/errors.ts";
import { CSRF_HEADER } from "../events/login-proof.ts";
import type { Volumes } from "../events/workspace-place.ts";
import { APP_FILES, appFiles } from "./app-files.ts";
import { toErrorResponse } from "./error-response.ts";
import { authenticate, checkReach, type AuthOptions } from "./auth.ts";
import { feedSockets } from "./feed/feed.ts";
import { parseBody } from "./json-body.ts";
import { refusal, SECURITY_HEADERS } from "./refusal.ts";
import { attachmentRoutes } from "./routes/attachments.ts";
import { auditRoutes } from "./routes/audit.ts";
import { authRoutes } from "./routes/auth.ts";
import { blobRoutes } from "./routes/blobs.ts";
import { inboxRoutes } from "./routes/inbox.ts";
import { fileRoutes } from "./routes/files.ts";
import { modelRoutes } from "./routes/models.ts";
import { processRoutes } from "./routes/processes.ts";
import { projectRoutes } from "./routes/projects.ts";
import { searchRoutes } from "./routes/search.ts";
import { runRoutes } from "./routes/runs.ts";
import { sessionRoutes } from "./routes/sessions.ts";
import { steeringRoutes } from "./routes/steering.ts";
import { settingsRoutes } from "./routes/settings.ts";
import { statusRoutes, type StatusInfo } from "./routes/status.ts";
import { workspaceRoutes } from "./routes/workspace.ts";
import type { Streams } from "./feed/sse.ts";
import type { Room } from "./room.ts";
import type { HomeAccess } from "./home-access.ts";
import { isForSockets, mountSockets } from "./feed/sockets.ts";
import type { SettingsService } from "./settings.ts";
import { endWhenStalled, hasUnreadBody, readOn } from "./stalled-bodies.ts";
import { ticketHash } from "./token.ts";
import { webPages } from "./static.ts";
import type { WorkspaceReads } from "./workspace/workspace-reads.ts";

/** Where text-only devices talk, and schedules deliver to. What it does not say is as for everyone. */
export type DeviceChannel = {
  readonly id: string;
  readonly profile?: string | undefined;
  readonly model?: string | undefined;
  readonly workspace?: string | undefined;
};

/** Windows and features add what they need, each in a file of its own (`declare module`). */
export interface AppDeps {
  journal: Journal;
  /** Where this machine keeps its plain files; without it there are no logs to read. */
  home?: string;
  auth: AuthOptions;
  /** Prints a fresh login link where its person sees it; left out where the server has no terminal. */
  printNewLink?: (() => Promise<void>) | undefined;
  streams: Streams;
  defaults: Defaults;
  /** The model a profile prefers: of new sessions, where nobody chose one. */
  profileModel: (profile: string) => Promise<string | null>;
  info: StatusInfo;
  webRoot: string;
  /** Settings that can be read and changed; none when left out. */
  settings?: SettingsService;
  /** Reads user files in another process; without it nobody does. */
  reads?: WorkspaceReads;
  /** The plain files of this machine's home: profiles with their memory and skills. */
  homeFiles?: HomeAccess;
  /** Where this machine has the volumes that workspaces may be on; none when left out. */
  volumes?: Volumes;
  /** Channels for text-only devices; none when left out. */
  channels?: readonly DeviceChannel[];
  /** With it, HTTPS and nothing else. */
  tls?: { readonly cert: string; readonly key: string };
  logError: (error: unknown) => void;
}

const MAX_BODY = 1_048_576;
const STALL_MS = 30_000;
const TOO_LARGE = 413;
const MAX_UNWANTED = 256 << 20; // of a body that was refused for its size
const SLOWEST_BODY_MS = 900_000; // the largest file, at a million bits a second
const OPEN_ROUTES = new Set(["/api/auth/login", "/assets/*", ...APP_FILES]);

/** Below /api. A new namespace is a line here. */
const NATIVE: readonly ((deps: AppDeps) => FastifyPluginAsync)[] = [
  sessionRoutes,
  steeringRoutes,
  inboxRoutes,
  fileRoutes,
  workspaceRoutes,
  processRoutes,
  searchRoutes,
  projectRoutes,
  modelRoutes,
  auditRoutes,
  settingsRoutes,
];

/** `rooms`: every window and feature there is (src/cli/create-app.ts). */
export async function createServer(
  deps: AppDeps,
  rooms: readonly Room[],
): Promise<FastifyInstance> {
  const app = newServer(deps);
  const mounted = rooms.map((room) => room(deps));
  const open = new Set([...OPEN_ROUTES, ...mounted.flatMap((room) => room.open ?? [])]);
  const needsToken = (request: FastifyRequest) => !isOpen(request, open);
  app.addHook("onRequest", async (request, reply) => {
    reply.headers(SECURITY_HEADERS);
    const { raw, headers, ip } = request;
    checkReach(raw, deps.auth);
    const { [CSRF_HEADER]: given } = headers;
    const proof = typeof given === "string" ? given : undefined;
    if (needsToken(request)) authenticate({ headers, ip, proof }, deps.auth);
  });
  app.addHook("preParsing", async ({ raw }, reply) => endWhenStalled(raw, reply.raw, STALL_MS));
  app.addHook("onSend", async (request, reply) => {
    const { raw } = request;
    if (!hasUnreadBody(raw)) return;
    // Who was answered is not read on, except for who may send and sent too much.
    if (reply.statusCode !== TOO_LARGE || !needsToken(request)) {
      reply.header("connection", "close");
      return;
    }
    reply.removeHeader("connection");
    readOn(raw, { bytes: MAX_UNWANTED, ms: STALL_MS });
  });
  for (const { answered } of mounted) if (answered) app.addHook("onResponse", answered);
  onErrors(app, deps.logError);
  await app.register(runRoutes(deps), { prefix: "/api/runs" });
  for (const routes of NATIVE) await app.register(routes(deps), { prefix: "/api" });
  const emitted = mounted.flatMap(({ status }) => status ?? []);
  await app.register(statusRoutes(deps, emitted), { prefix: "/api" });
  await app.register(authRoutes(deps), { prefix: "/api/auth" });
  await app.register(blobRoutes(deps.journal), { prefix: "/api/blobs" });
  await app.register(attachmentRoutes(deps.journal), { prefix: "/api/attachments" });
  for (const { routes, prefix = "" } of mounted) {
    if (routes) await app.register(routes, { prefix });
  }
  for (const { end } of mounted) if (end) app.addHook("preClose", end);
  const sockets = [...feedSockets(deps), ...mounted.flatMap((room) => room.sockets ?? [])];
  const takeTicket = async (ticket: string) =>
    (await deps.journal.registry.takeLoginCode(ticketHash(deps.auth.token(), ticket))) === "taken";
  mountSockets(app.server, sockets, { ...deps, takeTicket });
  await app.register(appFiles(deps.webRoot));
  await app.register(webPages(deps.webRoot));
  return app;
}

function newServer(deps: AppDeps): FastifyInstance {
  const app = Fastify({
    bodyLimit: MAX_BODY,
    routerOptions: { maxParamLength: 300 },
    exposeHeadRoutes: false, // a HEAD of a stream would never end
    forceCloseConnections: true,
    requestTimeout: SLOWEST_BODY_MS,
    keepAliveTimeout: 65_000,
    ...listener(deps.tls),
    frameworkErrors: (error, _request, reply) => {
      const { code, status, envelope } = toErrorResponse(error);
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
  return app;
}

/** Fastify takes its server's options from one of two places. */
function listener(tls: AppDeps["tls"]): { http: ServerOptions } {
  const options = { shouldUpgradeCallback: isForSockets, headersTimeout: STALL_MS };
  if (!tls) return { http: options };
  // Its types know two kinds of app; ours uses nothing in which they differ.
  return { https: { ...options, ...tls } } as unknown as { http: ServerOptions };
}

/** Decided by the route that will run: a path can be spelled in many ways (%61pi, http://…/api). */
function isOpen({ routeOptions, url }: FastifyRequest, open: ReadonlySet<string>): boolean {
  const route = routeOptions.url;
  return route === undefined ? !url.startsWith("/api/") : open.has(route);
}

// The only place an exception becomes a response.
function onErrors(app: FastifyInstance, logError: (error: unknown) => void): void {
  app.setErrorHandler((error: FastifyError, _request, reply) => {
    const { code, status, envelope } = toErrorResponse(error);
    if (code === "internal") logError(error);
    return reply.status(status).send(envelope);
  });
}

/** What is not HTTP, or too much of it, never becomes a request; it is answered all the same. */
function refuseBytes(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy();
  const tooLarge = error.code === "HPE_HEADER_OVERFLOW";
  const problem = tooLarge
    ? new ApiError("too_large", "The request's head is too large.")
    : new ApiError("invalid_request", "This is not an HTTP request, or it came too slowly.");
  socket.write(refusal(problem));
  socket.destroySoon();
}
