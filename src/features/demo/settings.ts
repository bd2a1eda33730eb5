import { z } from "zod";
import type { Setting } from "../../kernel/api/setting.ts";

export const DEMO_SETTINGS = {
  demo_delay_ms: {
    schema: z.int().min(0).default(25),
    about: "How long the demo model waits between two words.",
  },
} as const satisfies Record<string, Setting>;
