// The way to a collector, with packages that need not be installed. They are looked for and loaded only when somebody
// wants spans; the exporter itself comes with the SDK and is found from there.
import { createRequire } from "node:module";
import { VERSION } from "../../../kernel/events/version.ts";
import type { Span } from "./spans.ts";

export const PACKAGES = ["@opentelemetry/api", "@opentelemetry/sdk-node"] as const;
const EXPORTERS = {
  "http/protobuf": "@opentelemetry/exporter-trace-otlp-proto",
  "http/json": "@opentelemetry/exporter-trace-otlp-http",
} as const;
export type OtlpProtocol = keyof typeof EXPORTERS;

export type Otlp = {
  /** Rejects when the collector did not take them. */
  readonly deliver: (spans: readonly Span[]) => Promise<void>;
  readonly close: () => Promise<void>;
};
export type OtlpOptions = {
  readonly endpoint: string;
  readonly protocol: OtlpProtocol;
  /** Where packages are looked for. */
  readonly from?: string;
};

/** Those that are not installed. */
export function missingPackages(from: string = import.meta.url): readonly string[] {
  const { resolve } = createRequire(from);
  return PACKAGES.filter((name) => {
    try {
      resolve(name);
      return false;
    } catch {
      return true;
    }
  });
}

type Result = { readonly code: number; readonly error?: Error };
type Exporter = {
  export(spans: readonly object[], done: (result: Result) => void): void;
  shutdown(): Promise<void>;
};
type Sdk = {
  readonly OTLPTraceExporter: new (options: { url: string; timeoutMillis: number }) => Exporter;
};
type Resources = { readonly resourceFromAttributes: (attributes: object) => object };
type Api = {
  readonly SpanKind: { readonly INTERNAL: number; readonly CLIENT: number };
  readonly SpanStatusCode: { readonly UNSET: number; readonly ERROR: number };
};

const TIMEOUT_MS = 10_000;
const SAMPLED = 1;

export function openOtlp({ endpoint, protocol, from = import.meta.url }: OtlpOptions): Otlp {
  const here = createRequire(from);
  const ofSdk = createRequire(here.resolve("@opentelemetry/sdk-node"));
  const api = here("@opentelemetry/api") as Api;
  const { OTLPTraceExporter } = ofSdk(EXPORTERS[protocol]) as Sdk;
  const { resourceFromAttributes } = ofSdk("@opentelemetry/resources") as Resources;
  const resource = resourceFromAttributes({
    "service.name": "quarterdeck",
    "service.version": VERSION,
  });
  const url = `${endpoint.replace(/\/$/, "")}/v1/traces`;
  const exporter = new OTLPTraceExporter({ url, timeoutMillis: TIMEOUT_MS });
  return {
    deliver: (spans) =>
      new Promise((resolve, reject) => {
        const readable = spans.map((span) => ({ ...readableSpan(span, api), resource }));
        exporter.export(readable, ({ code, error }) => {
          if (code === 0) resolve();
          else reject(error ?? new Error("the collector did not take the spans"));
        });
      }),
    close: () => exporter.shutdown(),
  };
}

/** As the SDK's exporters want a span that has ended. */
function readableSpan(span: Span, { SpanKind, SpanStatusCode }: Api): object {
  const { traceId, spanId, parentSpanId, error } = span;
  const context = (id: string) => ({ traceId, spanId: id, traceFlags: SAMPLED });
  return {
    name: span.name,
    kind: span.kind === "client" ? SpanKind.CLIENT : SpanKind.INTERNAL,
    spanContext: () => context(spanId),
    ...(parentSpanId !== undefined && { parentSpanContext: context(parentSpanId) }),
    startTime: hrTime(span.start),
    endTime: hrTime(span.end),
    duration: hrTime(span.end - span.start),
    ended: true,
    status: { code: error === undefined ? SpanStatusCode.UNSET : SpanStatusCode.ERROR },
    attributes: { ...span.attributes, ...(error !== undefined && { "error.type": error }) },
    links: [],
    events: [],
    instrumentationScope: { name: "quarterdeck", version: VERSION },
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}

function hrTime(seconds: number): [seconds: number, nanos: number] {
  const micros = Math.round(seconds * 1e6); // what a double has of unix seconds
  return [Math.floor(micros / 1e6), (micros % 1e6) * 1_000];
}
