import { z } from "zod";
import type { Setting } from "../../kernel/api/setting.ts";

export const OTLP_SETTINGS = {
  otlp_endpoint: {
    schema: z.url({ protocol: /^https?$/ }).optional(),
    about: "A collector that gets spans of runs.",
    env: "OTEL_EXPORTER_OTLP_ENDPOINT",
  },
  otlp_protocol: {
    schema: z.enum(["http/protobuf", "http/json"]).default("http/protobuf"),
    about: "How they are sent.",
    env: "OTEL_EXPORTER_OTLP_PROTOCOL",
  },
  otlp_contents: {
    schema: z.boolean().default(false),
    about: "Whether prompts, answers, arguments and results are sent along.",
    env: "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT",
  },
} as const satisfies Record<string, Setting>;
