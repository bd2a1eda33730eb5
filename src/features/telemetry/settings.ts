import { z } from "zod";
import { choice, setting } from "../../kernel/api/setting.ts";

const Endpoint = z.url({ protocol: /^https?$/ }).optional();

export const OTLP_SETTINGS = {
  otlp_endpoint: setting(Endpoint, "A collector that gets spans of runs.", {
    env: "OTEL_EXPORTER_OTLP_ENDPOINT",
  }),
  otlp_protocol: setting(choice("http/protobuf", "http/json"), "How they are sent.", {
    env: "OTEL_EXPORTER_OTLP_PROTOCOL",
  }),
  otlp_contents: setting(z.boolean().default(false), "Whether what was said goes along.", {
    env: "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT",
  }),
};
