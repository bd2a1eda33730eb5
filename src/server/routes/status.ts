// What is running here: for the page's header, for `doctor`, and for a person who wonders.
import type { FastifyPluginAsync } from "fastify";
import type { Journal } from "../../journal/journal.ts";
import { isAlive } from "../../journal/liveness.ts";
import type { AppDeps } from "../app.ts";
import { data } from "./replies.ts";

export type StatusInfo = {
  version: string;
  model: { provider: string; id: string; label: string; demo: boolean };
  sandbox: "none" | "bubblewrap";
  /** Models and keys that were found, announced and not used without being asked. */
  found: readonly { name: string; detail: string }[];
};

export function statusRoutes({ journal, info, defaults }: AppDeps): FastifyPluginAsync {
  return async (app) => {
    app.get("/status", async () =>
      data({
        ...info,
        epoch: journal.epoch,
        workspace: defaults.workspace,
        runners: await runners(journal),
      }),
    );
  };
}

export async function runners(journal: Journal) {
  const records = await journal.processes();
  const live = records.filter((record) => record.kind === "runner" && isAlive(record) !== false);
  const owned = await journal.owned();
  return live.map(({ pid, process_id: id }) => ({ pid, id, runs: owned.get(id) ?? [] }));
}
