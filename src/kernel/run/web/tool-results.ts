// What a network error is called in a tool's result, and how a result's text is kept.
import type { BoundedText } from "../../events/catalogue/tools.ts";
import { boundedOutput, type Keeping } from "../tools/bounded-output.ts";
import { failure, textOutput, type ToolResult } from "../tools/tool.ts";
import { FetchRefused } from "./fetch-page.ts";
import { AddressRefused, HostNotFound } from "./resolve-host.ts";
import { NotConnected } from "./send-request.ts";

const INLINE = 65_536;

export function networkFailure(error: unknown): ToolResult {
  if (error instanceof FetchRefused) return failure(error.code, error.message);
  if (error instanceof AddressRefused) return failure("address_refused", error.message);
  if (error instanceof HostNotFound) return failure("host_not_found", error.message);
  if (error instanceof NotConnected) return failure("not_connected", error.message);
  const message = error instanceof Error ? error.message : String(error);
  return failure("network_error", message.slice(0, 1_000));
}

/** In the event while it is small, else head, tail and a blob (B1). */
export async function keptText(text: string, journal: Keeping): Promise<BoundedText> {
  const bytes = Buffer.from(text.toWellFormed());
  if (bytes.byteLength <= INLINE) return textOutput(text.toWellFormed());
  const output = boundedOutput(journal);
  try {
    await output.add(bytes);
    return await output.finish();
  } finally {
    await output.discard();
  }
}
