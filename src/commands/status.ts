// `status`: what is running on this home, for people and (with --json) for scripts.
import type { Parsed } from "../config.ts";
import type { Journal } from "../journal/journal.ts";
import { isAlive } from "../journal/liveness.ts";
import { VERSION } from "../protocol/version.ts";
import { runners } from "../server/routes/status.ts";
import { openJournal } from "./open-journal.ts";

export const flags = { json: { type: "boolean" } } as const;

export async function command({ config, values }: Parsed): Promise<number> {
  await using journal = await openJournal(config);
  const status = await readStatus(journal);
  if (values["json"]) console.log(JSON.stringify(status));
  else console.log(describe(status));
  return status.serve || status.runners.length > 0 ? 0 : 1;
}

export async function readStatus(journal: Journal) {
  const serve = (await journal.processes()).findLast(
    (record) => record.kind === "serve" && isAlive(record) === true,
  );
  return {
    url: serve?.url ?? null,
    epoch: journal.epoch,
    serve: serve ? { pid: serve.pid } : null,
    runners: await runners(journal),
    version: VERSION,
  };
}

function describe(status: Awaited<ReturnType<typeof readStatus>>): string {
  const served = status.serve ? `serving ${status.url} (pid ${status.serve.pid})` : "not serving";
  const lines = status.runners.map(
    ({ pid, id, runs }) => `${id} (pid ${pid}): ${runs.length === 0 ? "idle" : runs.join(", ")}`,
  );
  return [served, ...(lines.length > 0 ? lines : ["no runner"])].join("\n");
}
