// JSON from an endpoint that a person configured. Exactly that origin may be private; a redirect is
// an error, so neither the key nor the permission ever goes anywhere else.
import { FetchRefused, USER_AGENT } from "./fetch-page.ts";
import { ACCEPT_ENCODING, readBody } from "./read-body.ts";
import { createResolver } from "./resolve-host.ts";
import { sendRequest } from "./send-request.ts";

const TOTAL_MS = 30_000;
const MAX_BYTES = 2_097_152;

export async function fetchJson(
  url: URL,
  { key, signal, totalMs = TOTAL_MS }: { key?: string; signal: AbortSignal; totalMs?: number },
): Promise<unknown> {
  const timeout = AbortSignal.timeout(totalMs);
  try {
    const message = await sendRequest({
      url,
      headers: {
        "user-agent": USER_AGENT,
        accept: "application/json",
        "accept-encoding": ACCEPT_ENCODING,
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
      },
      resolve: createResolver({ allowPrivateHosts: [url.hostname] }),
      signal: AbortSignal.any([signal, timeout]),
    });
    const { statusCode = 0 } = message;
    const { bytes, truncated } = await readBody(message, MAX_BYTES);
    if (statusCode !== 200)
      throw new FetchRefused("http_status", `The search endpoint answered ${statusCode}.`);
    if (truncated) throw new FetchRefused("too_large", "The search endpoint answered too much.");
    return parsed(bytes.toString("utf8"));
  } catch (error) {
    if (timeout.aborted && !signal.aborted)
      throw new FetchRefused("timeout", `No complete answer within ${totalMs / 1000} s.`);
    throw error;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new FetchRefused("bad_answer", "The search endpoint did not answer in JSON.");
  }
}
