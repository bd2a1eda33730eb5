// Who may ask. Host and Origin are compared with exact lists before anything else, so that a page
// on another site, or a name rebound to this machine, gets nowhere near the token check.
import type { IncomingHttpHeaders } from "node:http";
import { ApiError } from "../protocol/errors.ts";
import { failureLimit } from "./failure-limit.ts";
import { cookieIsValid, csrfFor, sameSecret } from "./token.ts";

export type AuthOptions = {
  token: () => string;
  required: boolean; // false only with --no-auth on loopback
  secure?: boolean; // served with TLS: its pages have https addresses, and its cookies stay there
  hosts: () => ReadonlySet<string>; // "host:port", lower case
  /** Of our own page as browsers know it, behind a proxy. */
  publicOrigin?: string | undefined;
  /** For the audit: somebody was refused. */
  refused?: (address: string, reason: "code" | "token" | "too_many") => void;
  /** Origins of other pages that may ask. A cookie of ours never counts with them. */
  origins?: ReadonlySet<string>;
};

/** What is asked of a request: a page's, a program's, or one that wants to become a WebSocket. */
export type Asking = {
  readonly headers: IncomingHttpHeaders;
  readonly method: string;
  readonly ip: string;
};

const COOKIE = "qd_session";
const SAFE = new Set(["GET", "HEAD", "OPTIONS"]);
const limit = failureLimit({ max: 10, windowMs: 60_000 });

export function checkReach(request: Pick<Asking, "headers">, options: AuthOptions): void {
  const { hosts, secure = false } = options;
  const host = request.headers.host?.toLowerCase() ?? "";
  if (!hosts().has(withPort(host, secure)))
    throw new ApiError("bad_host", "This server does not answer to that host.");
  const { origin } = request.headers;
  if (origin === undefined || origin === options.publicOrigin) return;
  const url = URL.canParse(origin) ? new URL(origin) : undefined;
  if (url && isForeign(request, options)) return;
  const scheme = secure ? "https:" : "http:";
  if (!url || url.protocol !== scheme || !hosts().has(withPort(url.host.toLowerCase(), secure))) {
    throw new ApiError("bad_origin", "Requests from other sites are refused.");
  }
}

/** A page that is not ours and may ask all the same. */
function isForeign({ headers }: Pick<Asking, "headers">, { origins }: AuthOptions): boolean {
  return headers.origin !== undefined && origins?.has(headers.origin.toLowerCase()) === true;
}

export function authenticate(request: Asking, options: AuthOptions): void {
  if (!options.required) return;
  const token = options.token();
  const bearer = /^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1];
  if (bearer !== undefined) {
    checkAttempts(request.ip, options);
    if (sameSecret(bearer, token)) return limit.succeeded(request.ip);
    limit.failed(request.ip);
    options.refused?.(request.ip, "token");
    throw new ApiError("unauthorized", "The token is wrong.");
  }
  const cookie = isForeign(request, options) ? undefined : sessionCookie(request);
  if (cookie === undefined || !cookieIsValid(token, cookie, Date.now() / 1000)) {
    throw new ApiError("unauthorized", 'Log in first: "quarterdeck token --link" prints a link.');
  }
  if (SAFE.has(request.method)) return;
  const proof = request.headers["x-quarterdeck-csrf"];
  if (typeof proof !== "string" || !sameSecret(proof, csrfFor(token, cookie))) {
    throw new ApiError("forbidden", "The request lacks the proof that our own page made it.");
  }
}

export const loginAttempts = limit;

/** Throws while the address has to wait. */
export function checkAttempts(address: string, { refused }: Pick<AuthOptions, "refused">): void {
  try {
    limit.check(address);
  } catch (error) {
    refused?.(address, "too_many");
    throw error;
  }
}

export function sessionCookie(request: Pick<Asking, "headers">): string | undefined {
  for (const part of (request.headers.cookie ?? "").split(";")) {
    const [name, value] = part.trim().split("=", 2);
    if (name === COOKIE) return value;
  }
  return undefined;
}

export function cookieHeader(value: string, { secure = false }: { secure?: boolean }): string {
  const flags = `Path=/; HttpOnly; SameSite=Strict; Max-Age=${30 * 86_400}`;
  return `${COOKIE}=${value}; ${flags}${secure ? "; Secure" : ""}`;
}

/** Browsers leave out the port that the scheme has anyway; our list never does. */
function withPort(host: string, secure: boolean): string {
  return /:\d+$/.test(host) ? host : `${host}:${secure ? 443 : 80}`;
}
