// From the program's settings to those of the models.
import { join } from "node:path";
import type { Config } from "../../config.ts";
import { demoSettings } from "../../features/demo/cli.ts";
import type { ModelSettings } from "../../kernel/run/models/resolve-model.ts";

export function modelSettings(config: Config): ModelSettings {
  const urls = Object.entries(config.base_urls).filter(([, url]) => url !== undefined);
  return {
    baseUrl: config.base_url,
    modelKey: config.keys.model,
    openAiKey: config.keys.openai,
    anthropicKey: config.keys.anthropic,
    googleKey: config.keys.google,
    baseUrls: Object.fromEntries(urls) as NonNullable<ModelSettings["baseUrls"]>,
    idleTimeoutMs: config.model_idle_timeout_ms,
    ...demoSettings(config),
    modelsFile: join(config.home, "models.json"),
  };
}
