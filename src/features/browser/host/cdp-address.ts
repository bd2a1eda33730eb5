// The debugging address of a live browser. Whoever speaks to it rules that browser, so it is on this machine, or at a
// host a person allowed; and it stands in the audit, so it carries no secret.
import { isIP } from "node:net";
import { canonicalHost, plainHost } from "../../../kernel/run/web/addresses.ts";
import { fetchJson } from "../../../kernel/run/web/fetch-json.ts";

const ASK_MS = 2_000;
const SCHEMES = new Set(["http:", "https:", "ws:", "wss:"]);

export type CdpAddress = { readonly url: string } | { readonly problem: string };

export function cdpAddress(text: string, allowed: readonly string[]): CdpAddress {
  const trimmed = text.trim();
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed) ? trimmed : `http://${trimmed}`);
  if (!url || url.hostname === "") return { problem: "not an address" };
  if (!SCHEMES.has(url.protocol)) return { problem: "only http, https, ws and wss addresses" };
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "")
    return { problem: "it would be kept in the audit: no user name, query or fragment" };
  const host = plainHost(url.hostname);
  if (!isThisMachine(host) && !allowed.map(canonicalHost).includes(host)) {
    const where = "only on this machine (127.0.0.1, localhost)";
    return { problem: `${where}, or at a host that allow_private_hosts names` };
  }
  // Where the socket is stands in what a browser says of itself: without a path it is asked there.
  const plain = url.pathname === "/" ? url.href.replace(/^ws/, "http") : url.href;
  return { url: plain.replace(/\/$/, "") };
}

function isThisMachine(host: string): boolean {
  return host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));
}

/** What it says it is, such as Chrome/140.0; null when nobody answers like a browser. */
export async function browserVersion(cdpUrl: string): Promise<string | null> {
  const address = new URL(cdpUrl);
  const scheme = address.protocol === "https:" || address.protocol === "wss:" ? "https" : "http";
  try {
    const signal = new AbortController().signal;
    const url = new URL(`${scheme}://${address.host}/json/version`);
    const emitted = (await fetchJson(url, { signal, totalMs: ASK_MS })) as {
      Browser?: unknown;
    } | null;
    return typeof emitted?.Browser === "string" ? emitted.Browser.slice(0, 200) : null;
  } catch {
    return null;
  }
}
