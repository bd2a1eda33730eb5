// What can be chosen right now: the demo, what is configured, what the keys open, and what runs on this machine.
import { discover, localWindow } from "./discover.ts";
import { readModelData } from "./model-data.ts";
import { KEYED, keyFor, type KeyedProvider, type ModelSettings } from "./resolve-model.ts";

export type ListedModel = {
  provider: string;
  id: string;
  contextWindow: number | null;
  /** Whether a call's cost is known. */
  priced: boolean;
  /** Why it is in the list, in words. */
  found: string;
};

/** `configured` is the name set as the default model. Takes at most about twice the probes' timeout. */
export async function listModels(
  settings: ModelSettings,
  { configured, timeoutMs }: { configured?: string; timeoutMs?: number } = {},
): Promise<ListedModel[]> {
  const data = readModelData(settings.modelsFile);
  const describe = (provider: string, id: string, found: string): ListedModel => {
    const { contextWindow, price } = data.lookUp(provider, id);
    return { provider, id, contextWindow, priced: price !== null, found };
  };
  const demo = { ...describe("demo", "demo", "built in"), priced: true };
  const keyed = (Object.keys(KEYED) as KeyedProvider[])
    .filter((provider) => keyFor(provider, settings))
    .flatMap((provider) =>
      data.idsOf(provider).map((id) => describe(provider, id, `${KEYED[provider].keyName} is set`)),
    );
  const chosen = configured?.includes("/")
    ? [describe(...splitName(configured), "set as the model")]
    : [];
  const local = await localModels(settings, timeoutMs);
  return distinct([demo, ...local, ...chosen, ...keyed]);
}

async function localModels(settings: ModelSettings, timeoutMs?: number): Promise<ListedModel[]> {
  const bound = timeoutMs === undefined ? {} : { timeoutMs };
  const data = readModelData(settings.modelsFile);
  const servers = await discover(settings.baseUrls, bound);
  const asked = servers.flatMap(({ provider, baseUrl, models }) =>
    models.map(async (id): Promise<ListedModel> => {
      const known = data.lookUp(provider, id).contextWindow;
      const contextWindow = known ?? (await localWindow({ provider, baseUrl, id }, bound));
      return { provider, id, contextWindow, priced: true, found: `running at ${baseUrl}` };
    }),
  );
  return Promise.all(asked);
}

function splitName(name: string): [provider: string, id: string] {
  const slash = name.indexOf("/");
  return [name.slice(0, slash), name.slice(slash + 1)];
}

function distinct(models: readonly ListedModel[]): ListedModel[] {
  const named = models.map((model): [string, ListedModel] => [
    `${model.provider}/${model.id}`,
    model,
  ]);
  return [...new Map(named.toReversed()).values()].toReversed();
}
