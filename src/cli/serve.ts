// `serve`: the HTTP side. Holds no run state, so killing it loses nothing.
import { randomUUID } from "node:crypto";
import type { AddressInfo } from "node:net";
import type { FastifyInstance } from "fastify";
import { isLoopback, type Config, type Parsed, UsageError } from "../config.ts";
import { openLog } from "../kernel/home/log.ts";
import { openProfiles, type Profiles } from "../kernel/home/profiles.ts";
import type { Journal } from "../kernel/journal/journal.ts";
import { thisProcess } from "../kernel/journal/liveness.ts";
import { VERSION } from "../kernel/events/version.ts";
import { watchAbandoned } from "../kernel/run/loop/abandoned-runs.ts";
import { skillSourcesOf } from "../features/skills/cli.ts";
import { WEB } from "../kernel/workspace/host/program-places.ts";
import { sandboxKind } from "../kernel/workspace/host/spawn-host.ts";
import { ripgrepPath } from "../kernel/run/tools/search-files.ts";
import { terminalHosts } from "../features/terminals/host/start-host.ts";
import { workspaceReader } from "../kernel/workspace/client/workspace-reader.ts";
import { createApp } from "./create-app.ts";
import { BESIDE_SERVER } from "./server-rooms.ts";
import { shareDraft } from "../features/share/server/share-note.ts";
import { terminalDraft } from "../features/terminals/server/terminal-note.ts";
import { loginNotes } from "../kernel/server/login-notes.ts";
import { startIndexing } from "../kernel/server/feed/older-index.ts";
import type { AppDeps } from "../kernel/server/app.ts";
import type { StatusInfo } from "../kernel/server/routes/status.ts";
import type { Streams } from "../kernel/server/feed/sse.ts";
import { tails } from "../kernel/server/feed/tail.ts";
import type { WorkspaceReads } from "../kernel/server/workspace/workspace-reads.ts";
import { browserService } from "../features/browser/cli.ts";
import { messengerService } from "../features/messengers/cli/service.ts";
import { aborted, lifetime, announceReady } from "./lifetime.ts";
import { LINK_LIFE, newLoginLink } from "./login-link.ts";
import { mediaService } from "../features/voice/cli.ts";
import { observed } from "./observed.ts";
import { openJournal } from "./open-journal.ts";
import { pushServiceOf } from "../features/push/cli/service.ts";
import { settingsService } from "./settings/settings-service.ts";
import { certificateOf, type Certificate } from "./tls-files.ts";
import { tokenStore, type TokenStore } from "./token-store.ts";
import { ensureWorkspace } from "./workspace-folder.ts";

export const flags = {};

export async function command({ config }: Parsed): Promise<number> {
  await serve(config, lifetime(), (url) => {
    announceReady(url);
    if (!process.connected) console.log(`Serving ${url}`);
  });
  return 0;
}

/** Until the signal aborts. */
export async function serve(
  config: Config,
  signal: AbortSignal,
  ready: (url: string) => void,
): Promise<void> {
  ensureWorkspace(config);
  const tls = certificateOf(config);
  await using journal = await openJournal(config, { patient: "start", signal });
  const { home, sandbox } = config;
  await using reads = workspaceReader({ home, sandbox, ripgrep: ripgrepPath });
  const { app, deps } = await buildApp(config, { journal, reads, tls });
  const { streams, logError } = deps;
  const url = await listen(app, config);
  await using _listening = {
    async [Symbol.asyncDispose]() {
      // Also when something fails: half a server would answer with errors for ever.
      streams.tails.stop();
      for (const subscriber of streams.open) subscriber.end();
      await app.close();
    },
  };
  const id = `serve_${randomUUID().slice(0, 8)}`;
  await journal.registry.register(thisProcess("serve", id, url));
  const indexing = startIndexing({ journal, log: (line) => console.log(line), logError });
  ready(url);
  const beside = BESIDE_SERVER.map((start) => start({ ...deps, journal }));
  const abandoned = watchAbandoned({
    journal,
    serverId: id,
    leaseMs: config.lease_ms,
    logError,
    end: async (claim) => {
      const { endStoppedRun } = await import("../kernel/run/loop/end-stopped-run.ts"); // seldom needed, and large
      const hosts = { home, sandbox, readable: config.readable_paths };
      await endStoppedRun(claim, { journal, serverId: id, leaseMs: config.lease_ms, hosts });
    },
  });
  await aborted(signal);
  await abandoned.stop();
  for (const each of [...beside, indexing]) each.stop();
  await journal.registry.unregister(id).catch(logError); // a database that is away keeps nobody from ending
}

type Deps = { journal: Journal; reads: WorkspaceReads; tls: Certificate | undefined };

async function buildApp(config: Config, { journal, reads, tls }: Deps) {
  const log = openLog({ home: config.home, kind: "serve", redact: journal.redactor?.text });
  const logError = (error: unknown) => {
    console.error("serve:", error);
    log.write("error", error instanceof Error ? error.message : "failed", { error });
  };
  const streams: Streams = {
    tails: tails(journal, logError),
    heartbeatMs: config.heartbeat_ms,
    epoch: journal.epoch,
    open: new Set(),
  };
  const profiles = openProfiles(config.home);
  const { model } = config;
  const token = await currentToken(tokenStore(config, journal), () => closeAll(streams));
  let hosts: ReadonlySet<string> = new Set();
  const emitted = observed(journal, log);
  const refusals = loginNotes(journal.systemLog, logError);
  const deps: AppDeps = {
    journal: emitted,
    home: config.home,
    ...roomServices(config, journal, emitted),
    settings: settingsService({
      config,
      systemLog: emitted.systemLog,
      supervised: process.connected,
    }),
    streams,
    logError,
    printNewLink: linkPrinter(config, journal, () => addressOf(app, config)),
    auth: {
      token,
      refused: (address, reason) => refusals.failed(address, reason),
      required: !config.no_auth,
      secure: tls !== undefined,
      publicOrigin: config.public_url && new URL(config.public_url).origin,
      origins: new Set(config.allowed_origins.map((url) => new URL(url).origin.toLowerCase())),
      hosts: () => (hosts.size > 0 ? hosts : (hosts = allowedHosts(config, portOf(app)))),
    },
    defaults: { model, workspace: config.workspace, profile: config.profile },
    profileModel: async (name) => (await profiles.get(name).catch(() => null))?.model ?? null,
    info: infoOf(config, profiles),
    webRoot: WEB,
    channels: config.channels,
    reads,
    homeFiles: { profiles, sources: skillSourcesOf(config) },
    volumes: config.volumes,
    ...(tls && { tls }),
  };
  const app: FastifyInstance = await createApp(deps);
  app.addHook("onClose", async () => refusals.stop());
  return { app, deps };
}

/** What features ask of this process. A feature that is deleted loses its lines here. */
function roomServices(config: Config, journal: Journal, { systemLog }: Journal) {
  return {
    noteExport: async (note) => void (await systemLog.note([shareDraft(note)])),
    noteTerminal: async (what, about) => void (await systemLog.note([terminalDraft(what, about)])),
    media: mediaService(config),
    push: pushServiceOf(config, journal),
    gateway: messengerService(config, journal),
    browser: browserService(config),
    terminals: terminalHosts({ ...config, readable: config.readable_paths }),
  } satisfies Partial<AppDeps>;
}

function infoOf(config: Config, profiles: Profiles): StatusInfo {
  const { model } = config;
  const [provider = "", ...rest] = model.split("/");
  const demo = provider === "demo";
  return {
    version: VERSION,
    model: { provider, id: rest.join("/"), label: demo ? "Demo model (scripted)" : model, demo },
    sandbox: () => sandboxKind(config.sandbox),
    found: config.found,
    models: () => listedModels(config),
    testModel: (name, asked) => testedModel(config, name, asked),
    profiles: () => profiles.list(),
    tools: async (profile) =>
      (await import("./listed-tools.ts")).listedTools(config, profiles, profile),
  };
}

/** Loaded when asked for: a server has no other use for the providers' libraries. */
async function listedModels(config: Config) {
  const [{ listModels }, { modelSettings }] = await Promise.all([
    import("../kernel/run/models/list-models.ts"),
    import("./settings/model-settings.ts"),
  ]);
  return listModels(modelSettings(config), { configured: config.model });
}

async function testedModel(config: Config, name: string, signal: AbortSignal) {
  const [{ tryModel }, { modelSettings }] = await Promise.all([
    import("../kernel/run/models/try-model.ts"),
    import("./settings/model-settings.ts"),
  ]);
  return tryModel(modelSettings(config), name, { signal });
}

async function listen(app: FastifyInstance, config: Config): Promise<string> {
  const { host, port } = config;
  try {
    await app.listen({ host, port });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EADDRINUSE") {
      throw new UsageError(`Port ${port} is taken. Choose another with --port, or 0 for any.`, 3);
    }
    throw new UsageError(
      `Cannot listen on ${host}:${port} (${code ?? (error as Error).message}).`,
      3,
    );
  }
  return addressOf(app, config);
}

function addressOf(app: FastifyInstance, { host, tls_cert }: Config): string {
  const name = host.includes(":") ? `[${host}]` : host;
  return `${tls_cert === undefined ? "http" : "https"}://${name}:${portOf(app)}`;
}

/** Whoever opened a link too late finds a new one where the old one was printed. */
function linkPrinter(config: Config, journal: Journal, url: () => string) {
  if (!process.stdout.isTTY) return undefined; // logs are kept, and read by others
  return async () =>
    console.log(
      `That link was too old. A new one, ${LINK_LIFE}:\n  ${await newLoginLink(journal, config, url())}`,
    );
}

function portOf(app: FastifyInstance): number {
  return (app.server.address() as AddressInfo | null)?.port ?? 0;
}

function allowedHosts({ host, allowed_hosts, public_url }: Config, port: number): Set<string> {
  const names = ["127.0.0.1", "localhost", "[::1]", ...allowed_hosts, ...publicNames(public_url)];
  if (!isLoopback(host) && host !== "0.0.0.0" && host !== "::") names.push(host);
  return new Set(
    names.map((name) => (/:\d+$/.test(name) ? name : `${name}:${port}`).toLowerCase()),
  );
}

/** A proxy may pass the name with its port or without: then it looks like that of plain HTTP here. */
function publicNames(url: string | undefined): string[] {
  if (url === undefined) return [];
  const { hostname, host, protocol } = new URL(url);
  const usual = protocol === "https:" ? 443 : 80;
  return [/:\d+$/.test(host) ? host : `${hostname}:${usual}`, `${hostname}:80`];
}

/** A rotated token closes whatever the old one opened. */
async function currentToken(tokens: TokenStore, rotated: () => void): Promise<() => string> {
  let token = await tokens.read();
  tokens.watch(token, (next) => {
    token = next;
    rotated();
  });
  return () => token;
}

function closeAll(streams: Streams): void {
  for (const subscriber of streams.open) subscriber.end();
}
