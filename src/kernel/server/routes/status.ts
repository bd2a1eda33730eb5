// What is running here: for the page's header, for `doctor` and for people.
import type { FastifyPluginAsync } from "fastify";
import type { z } from "zod";
import type { Journal } from "../../journal/journal.ts";
import { isAlive } from "../../journal/liveness.ts";
import { ApiError } from "../../events/errors.ts";
import type { ListedModel, ModelTestView, StatusView } from "../../api/records/records.ts";
import type { AppDeps } from "../app.ts";
import type { Room } from "../room.ts";
import { choicesApi, statusApi } from "../../api/routes/status.ts";
import { mount } from "../mount.ts";

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
  /** What a profile's runs are offered, without foreign tools. Left out: nobody knows. */
  tools?: (profile: string) => Promise<readonly ListedTool[]>;
};

export type ListedTool = {
  readonly name: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>; // JSON Schema
  readonly enabled: boolean; // by the profile
};

/** `emitted`: what windows and features say of themselves. */
export function statusRoutes(
  { journal, info, defaults }: AppDeps,
  emitted: readonly NonNullable<ReturnType<Room>["status"]>[],
): FastifyPluginAsync {
  const { version, model, found } = info;
  return mount(
    { ...choicesApi, ...statusApi },
    {
      listModels: async () => ({ models: await info.models() }),
      listProfiles: async () => ({ profiles: await info.profiles() }),
      getStatus: async () => {
        refuseWhileAway(journal);
        return {
          version,
          model,
          found,
          sandbox: await info.sandbox(),
          epoch: journal.epoch,
          workspace: defaults.workspace,
          runners: await inTime(journal, runners(journal)),
          waiting_volumes: await inTime(journal, waitingVolumes(journal)),
          storage: journal.storage(),
          ...(Object.assign({}, ...emitted.map((status) => status())) as Pick<StatusView, "media">),
        };
      },
    },
  );
}

const ANSWER_MS = 3_000; // a database that hangs has not said that it is away

/** 503 at once, with since when and why: nobody waits for a database only to be told that. */
export function refuseWhileAway(journal: Pick<Journal, "storage">): void {
  const storage = journal.storage();
  if (!storage.away) return;
  const message = `The database is away (${storage.away.problem}). Nothing was lost.`;
  throw new ApiError("unavailable", message, { storage });
}

/** What the database says, or that it does not. */
export async function inTime<Answer>(
  journal: Pick<Journal, "storage">,
  asked: Promise<Answer>,
): Promise<Answer> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const { backend } = journal.storage();
    const away = { since: Date.now() / 1_000 - ANSWER_MS / 1_000, problem: "no answer" };
    const message = "The database is away (no answer). Nothing was lost.";
    reject(new ApiError("unavailable", message, { storage: { backend, away } }));
  }, ANSWER_MS);
  try {
    return await Promise.race([asked, late]);
  } finally {
    clearTimeout(timer);
  }
}

export async function runners(journal: Journal) {
  const records = await journal.registry.processes();
  const live = records.filter((record) => record.kind === "runner" && isAlive(record) !== false);
  const owned = await journal.registry.owned();
  return live.map(({ pid, process_id: id, volumes }) => {
    return { pid, id, runs: owned.get(id) ?? [], volumes };
  });
}

/** Volumes that runs wait for and no runner has. */
export async function waitingVolumes(journal: Journal) {
  const unreached = await journal.registry.unreached();
  return [...unreached].map(([volume, runs]) => ({ volume, runs }));
}
