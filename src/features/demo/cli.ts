// The demo model's part of the settings of the models.
import type { Config } from "../../config.ts";
import type { ModelSettings } from "../../kernel/run/models/resolve-model.ts";
import { createDemo } from "./model/demo.ts";

export function demoSettings(config: Config): Pick<ModelSettings, "demo" | "demoDelayMs"> {
  return { demo: createDemo, demoDelayMs: config.demo_delay_ms };
}
