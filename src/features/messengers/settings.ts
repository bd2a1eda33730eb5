import { z } from "zod";
import type { Setting } from "../../kernel/api/setting.ts";

export const GATEWAY_SETTINGS = {
  gateway_urls: {
    schema: z.partialRecord(z.enum(["telegram", "slack", "discord"]), z.url()).default({}),
    about: "Where a messenger's API is, if elsewhere than usual. Its token is sent there.",
  },
  gateway_edit_ms: {
    schema: z.int().min(0).optional(),
    about: "The wait between two edits of a message that grows.",
  },
  gateway_lease_ms: {
    schema: z.int().min(500).default(10_000),
    about: "How long a silent gateway keeps its connections.",
  },
} as const satisfies Record<string, Setting>;
