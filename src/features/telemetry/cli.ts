// Whether this process delivers spans, and if not, why not.
import { randomUUID } from "node:crypto";
import type { Config } from "../../config.ts";
import type { Finding } from "../../cli/doctor/doctor.ts";
import type { ClaimObserver } from "../../cli/beside-runs.ts";

type TelemetryState = { readonly state: "ok" | "problem"; readonly text: string };

/** In words, for `doctor`. */
async function telemetryState(config: Config): Promise<TelemetryState> {
  const { otlp_endpoint: endpoint, otlp_contents } = config;
  if (endpoint === undefined)
    return { state: "ok", text: "off; OTEL_EXPORTER_OTLP_ENDPOINT turns it on" };
  const { missingPackages } = await import("./runner/otlp.ts");
  const missing = missingPackages();
  if (missing.length > 0) return { state: "problem", text: missingText(missing) };
  const what = otlp_contents ? "spans with what was said" : "spans";
  return { state: "ok", text: `${what} go to ${new URL(endpoint).origin}` };
}

export async function telemetryFinding(config: Config): Promise<Finding> {
  return { name: "telemetry", ...(await telemetryState(config)) };
}

/** Undefined: nobody wants spans, or they cannot be delivered, which is said once. Nothing is loaded for it then. */
export const startTelemetry: ClaimObserver = async ({ config, journal, logError }) => {
  const { otlp_endpoint: endpoint, otlp_protocol: protocol, otlp_contents: withContents } = config;
  if (endpoint === undefined) return undefined;
  const { missingPackages, openOtlp } = await import("./runner/otlp.ts");
  const missing = missingPackages();
  if (missing.length > 0) {
    console.error(`work: ${missingText(missing)}`);
    return undefined;
  }
  const { startExporter } = await import("./runner/exporter.ts");
  const otlp = openOtlp({ endpoint, protocol });
  const exporterId = `exporter_${randomUUID()}`;
  const exporter = startExporter({ journal, otlp, exporterId, withContents, logError });
  return {
    begin: (runId) =>
      exporter
        .begin(runId)
        .catch((error: unknown) => logError(`${runId} will have no spans`, error)),
    [Symbol.asyncDispose]: () => exporter[Symbol.asyncDispose](),
  };
};

function missingText(missing: readonly string[]): string {
  return `no spans: ${missing.join(" and ")} not installed (npm install ${missing.join(" ")}).`;
}
