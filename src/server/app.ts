// Builds the HTTP surface. Routes translate; they hold no run state of their own.
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
import { ApiError } from "../protocol/errors.ts";
import { CSRF_HEADER } from "../protocol/login-proof.ts";
import type { Volumes } from "../protocol/workspace-place.ts";
import { admitting, type WorkspaceProblem } from "./admitted-workspaces.ts";
import { APP_FILES, appFiles } from "./app-files.ts";
import { toAnswer } from "./answers.ts";
import { authenticate, checkReach, type AuthOptions } from "./auth.ts";
import { pastRoutes } from "./feed-past.ts";
import { feedSockets } from "./feed.ts";
import type { BrowserDoor } from "./browser-door.ts";
import type { GatewayDoor } from "./gateway-door.ts";
import { parseBody } from "./json-body.ts";
import { refusal, SECURITY_HEADERS } from "./refusal.ts";
import { attachmentRoutes } from "./routes/attachments.ts";
import { auditRoutes } from "./routes/audit.ts";
import { authRoutes } from "./routes/auth.ts";
import { blobRoutes } from "./routes/blobs.ts";
import { browserRoutes } from "./routes/browser.ts";
import { cronRoutes } from "./routes/cron.ts";
import { demoRoutes } from "./routes/demo.ts";
import { inboxRoutes } from "./routes/inbox.ts";
import { createMetrics } from "./metrics/metrics.ts";
import { insightRoutes } from "./routes/insights.ts";
import { fileRoutes } from "./routes/files.ts";
import { logRoutes } from "./routes/logs.ts";
import { gatewayRoutes } from "./routes/gateway.ts";
import { mediaRoutes } from "./routes/media.ts";
import { memoryRoutes } from "./routes/memory.ts";
import { modelRoutes } from "./routes/models.ts";
import { pushRoutes } from "./routes/push.ts";
import { ownCommandRoutes } from "./routes/own-commands.ts";
import { processRoutes } from "./routes/processes.ts";
import { projectRoutes } from "./routes/projects.ts";
import { searchRoutes } from "./routes/search.ts";
import { runRoutes } from "./routes/runs.ts";
import { sessionRoutes } from "./routes/sessions.ts";
import { shareRoutes } from "./routes/share.ts";
import { skillRoutes } from "./routes/skills.ts";
import { steeringRoutes } from "./routes/steering.ts";
import { settingsRoutes } from "./routes/settings.ts";
import { statusRoutes, type StatusInfo } from "./routes/status.ts";
import { terminalRoutes } from "./routes/terminals.ts";
import { workspaceRoutes } from "./routes/workspace.ts";
import type { ShareNote } from "./share/share-note.ts";
import type { Streams } from "./sse.ts";
import type { PushService } from "./push.ts";
import type { MediaService } from "./media.ts";
import type { HomeAccess } from "./home-access.ts";
import { isForSockets, mountSockets } from "./sockets.ts";
import type { SettingsService } from "./settings.ts";
import { NO_TERMINALS, type TerminalHosts } from "./terminal-hosts.ts";
import { endWhenStalled, hasUnreadBody, readOn } from "./stalled-bodies.ts";
import { endingWithSessions } from "./terminal-sessions.ts";
import { terminalSockets } from "./terminal-sockets.ts";
import { openTerminals, type NoteTerminal } from "./terminals.ts";
import { ticketHash } from "./token.ts";
import { webPages } from "./static.ts";
import type { WorkspaceReads } from "./workspace-reads.ts";
import { DIALECTS } from "./dialects/dialects.ts";
import type { Channel } from "./dialects/terminal.ts";

export type AppDeps = {
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
  /** Notifications of browsers; none when left out. */
  push?: PushService;
  /** Settings that can be read and changed; none when left out. */
  settings?: SettingsService;
  /** Where speech becomes text and text speech; nowhere when left out. */
  media?: MediaService;
  /** Messengers; none when left out. */
  gateway?: GatewayDoor;
  /** The browser of agents; none when left out. */
  browser?: BrowserDoor;
  /** Doors for text-only devices; none when left out. */
  channels?: readonly Channel[];
  /** Reads user files in another process; without it nobody does. */
  reads?: WorkspaceReads;
  /** Runs terminals in other processes; without it nobody does. */
  terminals?: TerminalHosts;
  /** Told when a person opened or closed a terminal. */
  noteTerminal?: NoteTerminal;
  /** The plain files of this machine's home: profiles with their memory and skills. */
  homeFiles?: HomeAccess;
  /** Where this machine has the volumes that workspaces may be on; none when left out. */
  volumes?: Volumes;
  /** Why tools must not work in a directory; without it every one is taken. */
  workspaceProblem?: WorkspaceProblem;
  /** Told of every file that goes out or comes in, before it does (out) or once it is here (in). */
  noteExport?: (about: ShareNote) => Promise<void>;
  /** With it, HTTPS and nothing else. */
  tls?: { readonly cert: string; readonly key: string };
  logError: (error: unknown) => void;
};

const MAX_BODY = 1_048_576;
const STALL_MS = 30_000;
const TOO_LARGE = 413;
const MAX_UNWANTED = 256 << 20; // of a body that was refused for its size
const SLOWEST_BODY_MS = 900_000; // the largest file, at a million bits a second
const OPEN_ROUTES = new Set([
  "/api/gui/health",
  "/health",
  "/v1/health",
  "/api/auth/login",
  "/api/gateway/webhook/:webhook", // a signature, instead
  "/assets/*",
  ...APP_FILES,
  "/app",
  "/app/",
]);

/** Below /api. A new namespace is a line here. */
const NATIVE: readonly ((deps: AppDeps) => FastifyPluginAsync)[] = [
  sessionRoutes,
  pastRoutes,
  steeringRoutes,
  inboxRoutes,
  fileRoutes,
  workspaceRoutes,
  ownCommandRoutes,
  processRoutes,
  searchRoutes,
  shareRoutes,
  projectRoutes,
  statusRoutes,
  modelRoutes,
  auditRoutes,
  cronRoutes,
  browserRoutes,
  logRoutes,
  insightRoutes,
  settingsRoutes,
  mediaRoutes,
  memoryRoutes,
  skillRoutes,
];

export async function createApp(given: AppDeps): Promise<FastifyInstance> {
  const metrics = createMetrics(given);
  const journal = metrics.measured(admitting(given.journal, given.volumes, given.workspaceProblem));
  const deps = { ...given, journal };
  const app = newServer(deps);
  app.addHook("onRequest", async (request, reply) => {
    reply.headers(SECURITY_HEADERS);
    const { raw, headers, ip } = request;
    checkReach(raw, deps.auth);
    const { [CSRF_HEADER]: given } = headers;
    const proof = typeof given === "string" ? given : undefined;
    if (needsToken(request)) authenticate({ headers, ip, proof }, deps.auth);
  });
  app.addHook("preParsing", async ({ raw }) => endWhenStalled(raw, STALL_MS));
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
  app.addHook("onResponse", metrics.answered);
  onErrors(app, deps.logError);
  await app.register(runRoutes(deps), { prefix: "/api/runs" });
  for (const routes of NATIVE) await app.register(routes(deps), { prefix: "/api" });
  await app.register(metrics.routes);
  await app.register(authRoutes(deps), { prefix: "/api/auth" });
  await app.register(blobRoutes(deps.journal), { prefix: "/api/blobs" });
  await app.register(attachmentRoutes(deps.journal), { prefix: "/api/attachments" });
  await app.register(demoRoutes(deps.journal), { prefix: "/api/demo" });
  if (deps.push) await app.register(pushRoutes(deps.journal, deps.push), { prefix: "/api/push" });
  if (deps.gateway) {
    await app.register(gatewayRoutes(deps.journal, deps.gateway), { prefix: "/api/gateway" });
  }
  const windows = DIALECTS.map((mount) => mount(deps));
  for (const { routes } of windows) await app.register(routes);
  const sockets = [...feedSockets(deps), ...windows.flatMap((window) => window.sockets)];
  const takeTicket = async (ticket: string) =>
    (await deps.journal.takeLoginCode(ticketHash(deps.auth.token(), ticket))) === "taken";
  const all = [...sockets, ...(await mountTerminals(app, deps))];
  mountSockets(app.server, all, { ...deps, takeTicket });
  await app.register(appFiles(deps.webRoot));
  await app.register(webPages(deps.webRoot));
  return app;
}

/** They end with the server, before it does. */
async function mountTerminals(app: FastifyInstance, deps: AppDeps) {
  const hosts = deps.terminals ?? NO_TERMINALS;
  const now = () => Date.now() / 1_000;
  const { journal, noteTerminal: note, logError } = deps;
  const opened = openTerminals({ hosts, note, logError, now });
  const terminals = endingWithSessions(opened, journal, logError);
  app.addHook("preClose", () => terminals.end());
  await app.register(terminalRoutes(deps, terminals), { prefix: "/api" });
  return terminalSockets(terminals, deps);
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
function needsToken({ routeOptions, url }: FastifyRequest): boolean {
  const route = routeOptions.url;
  return route === undefined ? url.startsWith("/api/") : !OPEN_ROUTES.has(route);
}

// The only place an exception becomes a response.
function onErrors(app: FastifyInstance, logError: (error: unknown) => void): void {
  app.setErrorHandler((error: FastifyError, _request, reply) => {
    const { code, status, envelope } = toAnswer(error);
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
