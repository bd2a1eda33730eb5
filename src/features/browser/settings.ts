import { z } from "zod";
import type { Setting } from "../../kernel/api/setting.ts";

export const BROWSER_SETTINGS = {
  browser_executable: {
    schema: z.string().min(1).optional(), // looked for when left out
    about: "The Chrome or Chromium that agents' browser is.",
    section: "tools",
    fixed: true,
  },
} as const satisfies Record<string, Setting>;
