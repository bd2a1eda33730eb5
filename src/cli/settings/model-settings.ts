// From the program's settings to those of the models.
import { join } from "node:path";
import type { Config } from "../../config.ts";
import { createDemo } from "../../features/demo/model/demo.ts";
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
    demo: createDemo,
    demoDelayMs: config.demo_delay_ms,
    modelsFile: join(config.home, "models.json"),
  };
}
