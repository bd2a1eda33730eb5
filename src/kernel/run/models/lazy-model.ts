// A model whose library is loaded with its first call: a runner that plays the demo, or waits for work,
// pays for none of them.
import type { Model } from "./model.ts";

type Facts = Pick<Model, "provider" | "id" | "contextWindow" | "price" | "reads">;

export function lazyModel(facts: Facts, load: () => Promise<Model>): Model {
  let loading: Promise<Model> | undefined;
  let loaded: Model | undefined;
  return {
    ...facts,
    continues: true,
    get contextWindow() {
      return loaded?.contextWindow ?? facts.contextWindow;
    },
    async *stream(request, signal) {
      signal.throwIfAborted();
      loaded = await (loading ??= load());
      yield* loaded.stream(request, signal);
    },
  };
}
