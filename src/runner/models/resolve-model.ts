// From a name ("provider/model") to a model. A name nobody can serve is a visible error of the run,
// never a silent fallback to another model.
import { createDemo } from "./demo.ts";
import { ModelError, type Model } from "./model.ts";
import { createOpenAiCompatible } from "./openai-compatible.ts";

export type ModelSettings = {
  baseUrl: string | undefined;
  modelKey: string | undefined;
  openAiKey: string | undefined;
  idleTimeoutMs: number;
  demoDelayMs: number;
};

const OPENAI_URL = "https://api.openai.com/v1";

export function resolveModel(settings: ModelSettings): (name: string) => Model {
  const demo = createDemo({ delayMs: settings.demoDelayMs });
  const { idleTimeoutMs } = settings;
  return (name) => {
    const slash = name.indexOf("/");
    const provider = slash < 0 ? "" : name.slice(0, slash);
    const id = name.slice(slash + 1);
    if (provider === "demo") return demo;
    if (provider === "openai" && settings.openAiKey && !settings.baseUrl) {
      const key = { apiKey: settings.openAiKey };
      return createOpenAiCompatible({ provider, id, baseUrl: OPENAI_URL, idleTimeoutMs, ...key });
    }
    if (settings.baseUrl) {
      const key = settings.modelKey === undefined ? {} : { apiKey: settings.modelKey };
      const { baseUrl } = settings;
      return createOpenAiCompatible({
        provider: provider || "custom",
        id,
        baseUrl,
        idleTimeoutMs,
        ...key,
      });
    }
    throw new ModelError(
      "unknown_model",
      `No provider serves “${name.slice(0, 100)}”. Set QUARTERDECK_BASE_URL, or use demo/demo.`,
    );
  };
}
