// Gets a page for a tool: follows redirects as far as permission goes, which is the host that was
// asked for. Every redirect is checked like the first address, also one that is not followed.
import type { IncomingMessage } from "node:http";
import { ACCEPT_ENCODING, readBody } from "./read-body.ts";
import { createResolver, type AddressPolicy, type Resolver } from "./resolve-host.ts";
import { sendRequest } from "./send-request.ts";

/** Says who is asking, and pretends nothing. */
export const USER_AGENT = "Quarterdeck/0.1 (a tool of an AI agent)";
const MAX_REDIRECTS = 5;
const TOTAL_MS = 30_000;
const ACCEPT = "text/html,text/*;q=0.9,application/json;q=0.9,application/xml;q=0.9,*/*;q=0.5";

export type FetchSettings = AddressPolicy & {
  readonly connectMs?: number;
  readonly totalMs?: number;
};

export type FetchedPage = {
  readonly url: URL;
  readonly status: number;
  readonly contentType: string;
  readonly bytes: Buffer;
  readonly truncated: boolean;
  readonly declaredBytes: number | null;
  /** It leads to another host: nobody has allowed that one yet. */
  readonly redirect?: URL;
};

/** The page could not be had, for a reason the model can do something about. */
export class FetchRefused extends Error {
  override name = "FetchRefused";
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

export async function fetchPage(
  address: URL,
  {
    maxBytes,
    settings,
    signal,
  }: { maxBytes: number; settings: FetchSettings; signal: AbortSignal },
): Promise<FetchedPage> {
  const { totalMs = TOTAL_MS } = settings;
  const timeout = new AbortController();
  const late = new FetchRefused("timeout", `No complete answer within ${totalMs / 1000} s.`);
  const timer = setTimeout(() => timeout.abort(late), totalMs);
  const both = AbortSignal.any([signal, timeout.signal]);
  try {
    const resolve = createResolver(settings);
    return await follow(address, { maxBytes, resolve, settings, signal: both });
  } catch (error) {
    // A body cut by our own abort fails in words of the socket: say what happened instead.
    both.throwIfAborted();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

type Going = {
  maxBytes: number;
  resolve: Resolver;
  settings: FetchSettings;
  signal: AbortSignal;
};

async function follow(address: URL, going: Going): Promise<FetchedPage> {
  let url = address;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
    refuseCredentials(url);
    const { connectMs } = going.settings;
    const message = await sendRequest({
      url,
      headers: { "user-agent": USER_AGENT, accept: ACCEPT, "accept-encoding": ACCEPT_ENCODING },
      resolve: going.resolve,
      signal: going.signal,
      ...(connectMs !== undefined && { connectMs }),
    });
    const target = redirectOf(message, url);
    if (!target) return pageOf(message, url, going.maxBytes);
    message.destroy();
    await going.resolve(target.hostname); // throws for an address nobody may go to
    if (!isSameHost(url, target)) return redirected(message, url, target);
    url = target;
  }
  throw new FetchRefused("too_many_redirects", `More than ${MAX_REDIRECTS} redirects.`);
}

function redirectOf({ statusCode = 0, headers }: IncomingMessage, from: URL): URL | undefined {
  if (![301, 302, 303, 307, 308].includes(statusCode) || headers.location === undefined)
    return undefined;
  const target = URL.parse(headers.location, from.href);
  if (target?.protocol !== "http:" && target?.protocol !== "https:")
    throw new FetchRefused("bad_redirect", "It redirects to something that is not a web address.");
  refuseCredentials(target);
  return target;
}

function refuseCredentials({ username, password }: URL): void {
  if (username !== "" || password !== "")
    throw new FetchRefused("credentials_in_url", "Addresses with a user name are not fetched.");
}

/** The same server as was allowed; from http to https on the usual ports it still is. */
function isSameHost(from: URL, to: URL): boolean {
  if (from.hostname !== to.hostname) return false;
  if (from.protocol === to.protocol) return from.port === to.port;
  return to.protocol === "https:" && from.port === "" && to.port === "";
}

async function pageOf(message: IncomingMessage, url: URL, maxBytes: number): Promise<FetchedPage> {
  const length = Number(message.headers["content-length"]);
  return {
    ...headOf(message, url),
    declaredBytes: Number.isSafeInteger(length) ? length : null,
    ...(await readBody(message, maxBytes)),
  };
}

function redirected(message: IncomingMessage, url: URL, redirect: URL): FetchedPage {
  const nothing = { bytes: Buffer.alloc(0), truncated: false, declaredBytes: null };
  return { ...headOf(message, url), ...nothing, redirect };
}

function headOf({ statusCode = 0, headers }: IncomingMessage, url: URL) {
  return { url, status: statusCode, contentType: headers["content-type"]?.slice(0, 200) ?? "" };
}
