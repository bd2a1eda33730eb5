// `status`: what is running on this home, for people and (with --json) for scripts.
import { isLoopback, type Config, type Parsed } from "../config.ts";
import type { Journal, ProcessRecord } from "../kernel/journal/journal.ts";
import { isAlive } from "../kernel/journal/liveness.ts";
import { VERSION } from "../kernel/events/version.ts";
import { runners, waitingVolumes } from "../kernel/server/routes/status.ts";
import { usableUrl } from "./login-link.ts";
import { asUsageError, openJournal, reach } from "./open-journal.ts";

export const flags = { json: { type: "boolean" } } as const;

export async function command({ config, values }: Parsed): Promise<number> {
  const status = { ...(await statusOf(config)), workspace: config.workspace };
  if (values["json"]) console.log(JSON.stringify(status));
  else console.log(describe(status));
  return status.serve || status.runners.length > 0 ? 0 : 1;
}

async function statusOf(config: Config): Promise<Status> {
  const { database } = config;
  if (database !== undefined && (await isEmpty({ ...config, database }))) return NOTHING_YET;
  await using journal = await openJournal(config);
  return await readStatus(journal);
}

type Status = Omit<Awaited<ReturnType<typeof readStatus>>, "epoch"> & {
  readonly epoch: string | null; // null: the database has no tables
};
const NOTHING_YET: Status = {
  url: null,
  epoch: null,
  serve: null,
  servers: [],
  runners: [],
  waiting_volumes: [],
  storage: { backend: "postgres", away: null },
  version: VERSION,
};

/** Asking what runs makes nothing: not the tables, and no epoch. */
async function isEmpty(config: Config & { readonly database: string }): Promise<boolean> {
  await reach(config, {});
  const { tablesVersion } = await import("../kernel/journal/postgres/administer.ts");
  const { database: url, database_patience_ms: patienceMs } = config;
  return (await tablesVersion({ url, patienceMs }).catch(asUsageError)) === 0;
}

export async function readStatus(journal: Journal) {
  const servers = (await journal.registry.processes()).filter(
    (record) => record.kind === "serve" && isAlive(record) !== false,
  );
  const serve = servers.findLast((record) => isAlive(record) === true);
  const elsewhere = servers.findLast((record) => record !== serve && isReachable(record));
  const url = serve
    ? addressOf(serve, "127.0.0.1")
    : elsewhere && addressOf(elsewhere, elsewhere.host);
  return {
    url: url ?? null,
    epoch: journal.epoch,
    serve: serve ? { pid: serve.pid } : null,
    servers: servers.map((server) => ({
      host: server.host,
      url: addressOf(server, server === serve ? "127.0.0.1" : server.host),
    })), // no pids: scripts kill what they find here
    runners: await runners(journal),
    waiting_volumes: await waitingVolumes(journal),
    storage: journal.storage(),
    version: VERSION,
  };
}

function addressOf({ url }: ProcessRecord, host: string): string | null {
  return url === null ? null : usableUrl(url, host);
}

/** On another machine, and not only for those who are there. */
function isReachable({ url }: ProcessRecord): boolean {
  return url !== null && !isLoopback(new URL(url).hostname);
}

function describe(status: Status & { workspace: string }): string {
  const { serve, url } = status;
  const elsewhere = status.servers.filter((one) => one.url !== url || !serve);
  const served = [
    serve ? `serving ${url} (pid ${serve.pid})` : "not serving",
    ...elsewhere.map((one) => `on ${one.host} ${one.url}`),
  ];
  const lines = status.runners.map(
    ({ pid, id, runs, volumes }) =>
      `${id} (pid ${pid}${volumes.map((volume) => `, ${volume}:/`).join("")}): ${runs.join(", ") || "idle"}`,
  );
  const waiting = status.waiting_volumes.map(
    ({ volume, runs }) => `waiting for a runner that reaches volume ${volume}: ${runs.join(", ")}`,
  );
  const place = `workspace of new sessions: ${status.workspace}`;
  const empty = status.epoch === null ? ["the database has no tables yet"] : [];
  const working = lines.length > 0 ? lines : ["no runner"];
  return [...served, ...working, ...waiting, ...empty, place].join("\n");
}
