// `status`: what is running on this home, for people and (with --json) for scripts.
import { isLoopback, type Parsed } from "../config.ts";
import type { Journal, ProcessRecord } from "../journal/journal.ts";
import { isAlive } from "../journal/liveness.ts";
import { VERSION } from "../protocol/version.ts";
import { runners, waitingVolumes } from "../server/routes/status.ts";
import { openJournal } from "./open-journal.ts";

export const flags = { json: { type: "boolean" } } as const;

export async function command({ config, values }: Parsed): Promise<number> {
  await using journal = await openJournal(config);
  const status = { ...(await readStatus(journal)), workspace: config.workspace };
  if (values["json"]) console.log(JSON.stringify(status));
  else console.log(describe(status));
  return status.serve || status.runners.length > 0 ? 0 : 1;
}

export async function readStatus(journal: Journal) {
  const servers = (await journal.processes()).filter(
    (record) => record.kind === "serve" && isAlive(record) !== false,
  );
  const serve = servers.findLast((record) => isAlive(record) === true);
  const elsewhere = servers.findLast((record) => record !== serve && isReachable(record));
  return {
    url: (serve ?? elsewhere)?.url ?? null,
    epoch: journal.epoch,
    serve: serve ? { pid: serve.pid } : null,
    servers: servers.map(({ host, url }) => ({ host, url })), // no pids: scripts kill what they find here
    runners: await runners(journal),
    waiting_volumes: await waitingVolumes(journal),
    storage: journal.storage(),
    version: VERSION,
  };
}

/** On another machine, and not only for those who are there. */
function isReachable({ url }: ProcessRecord): boolean {
  return url !== null && !isLoopback(new URL(url).hostname);
}

function describe(status: Awaited<ReturnType<typeof readStatus>> & { workspace: string }): string {
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
  return [...served, ...(lines.length > 0 ? lines : ["no runner"]), ...waiting, place].join("\n");
}
