// What is running here: for the page's header, for `doctor`, and for a person who wonders.
import type { FastifyPluginAsync } from "fastify";
import type { z } from "zod";
import type { Journal } from "../../journal/journal.ts";
import { isAlive } from "../../journal/liveness.ts";
import type { ListedModel, ModelTestView } from "../../protocol/api-records.ts";
import type { AppDeps } from "../app.ts";
import { data } from "./replies.ts";

export type StatusInfo = {
  version: string;
  model: { provider: string; id: string; label: string; demo: boolean };
  sandbox: () => Promise<"none" | "bubblewrap">;
  /** Models and keys that were found, announced and not used without being asked. */
  found: readonly { name: string; detail: string }[];
  /** What can be chosen right now; looks for servers on this machine each time it is asked. */
  models: () => Promise<readonly z.infer<typeof ListedModel>[]>;
  /** Asks a model one short question; rejects when it is told to stop. Left out: nobody can be asked. */
  testModel?: (name: string, signal: AbortSignal) => Promise<ModelTestView>;
  profiles: () => Promise<readonly string[]>;
};

export function statusRoutes({ journal, info, defaults }: AppDeps): FastifyPluginAsync {
  return async (app) => {
    const { version, model, found } = info;
    app.get("/models", async () => data({ models: await info.models() }));
    app.get("/profiles", async () => data({ profiles: await info.profiles() }));
    app.get("/status", async () =>
      data({
        version,
        model,
        found,
        sandbox: await info.sandbox(),
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
