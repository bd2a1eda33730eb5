// One entry per provider that was found. Pure.
import type { ModelsView } from "../../kernel/api/records/records.ts";

type Listed = ModelsView["models"][number];
export type FoundProvider = {
  readonly provider: string;
  readonly label: string;
  readonly how: string; // how we know of it
  readonly ids: readonly string[];
};

const LABELS: Readonly<Record<string, string>> = {
  openai: "OpenAI",
  anthropic: "Anthropic",
  google: "Google",
  ollama: "Ollama",
  lmstudio: "LM Studio",
  demo: "Demo model (scripted)",
};

/** Real providers first, the demo last. */
export function providersIn(models: readonly Listed[]): readonly FoundProvider[] {
  const groups = Map.groupBy(models, ({ provider }) => provider);
  const found = [...groups].map(([provider, listed]): FoundProvider => {
    const label = Object.hasOwn(LABELS, provider) ? (LABELS[provider] ?? provider) : provider;
    const how = [...new Set(listed.map((model) => model.found))].join(", ");
    return { provider, label, how, ids: listed.map(({ id }) => id) };
  });
  return found.toSorted((a, b) => Number(a.provider === "demo") - Number(b.provider === "demo"));
}

/** Keys that are set but unlock no listed model, because another base URL is used. */
export function idleKeys(
  keys: readonly { readonly name: string; readonly detail: string }[],
  models: readonly Listed[],
): readonly string[] {
  return keys
    .map(({ name }) => name)
    .filter((name) => models.every(({ found }) => !found.includes(name)));
}
