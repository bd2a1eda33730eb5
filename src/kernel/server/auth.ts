// Who may send requests. Host and Origin are compared with exact lists first, so that a page of another site, or a
// name rebound to this machine, does not reach the token check. A browser sends its cookie to every port of a host,
// so a cookie counts only with the proof that its login returned (ADR 32).
import type { IncomingMessage } from "node:http";
import { ApiError } from "../events/errors.ts";
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

type Head = Pick<IncomingMessage, "headers">;

/** What is asked of a request: a page's, a program's, or one that wants to become a WebSocket. */
export type Asking = Head & {
  readonly ip: string;
  /** That our own page made it: of the login that gave its cookie. */
  readonly proof: string | undefined;
};

const COOKIE = "qd_session";
const GUESSES = { max: 10, windowMs: 60_000 };
/** Tokens that we make are longer. A shorter one was chosen by a person, and might be guessed. */
const UNGUESSABLE = 32; // characters
const tokenGuesses = failureLimit(GUESSES);
const codeGuesses = failureLimit(GUESSES);

export function checkReach(
  request: Pick<IncomingMessage, "headers" | "rawHeaders">,
  options: AuthOptions,
): void {
  const { hosts, secure = false } = options;
  const isHost = (text: string, index: number) => index % 2 === 0 && /^host$/i.test(text);
  if (request.rawHeaders.filter(isHost).length > 1)
    throw new ApiError("invalid_request", "A request has one Host header.");
  const host = request.headers.host?.toLowerCase() ?? "";
  if (!hosts().has(withPort(host, secure)))
    throw new ApiError("bad_host", "This server does not answer to that host.");
  const { origin } = request.headers;
  if (origin === undefined || origin === options.publicOrigin) return;
  const url = URL.canParse(origin) ? new URL(origin) : undefined;
  if (url?.origin !== origin.toLowerCase()) throw fromElsewhere();
  if (isForeign(request, options)) return;
  const scheme = secure ? "https:" : "http:";
  if (url.protocol !== scheme || !hosts().has(withPort(url.host, secure))) throw fromElsewhere();
}

const fromElsewhere = () => new ApiError("bad_origin", "Requests from other sites are refused.");

/** A page that is not ours and may ask all the same. */
function isForeign({ headers }: Head, { origins }: AuthOptions): boolean {
  return headers.origin !== undefined && origins?.has(headers.origin.toLowerCase()) === true;
}

export function authenticate(request: Asking, options: AuthOptions): void {
  const site = request.headers["sec-fetch-site"] ?? "none";
  if (site !== "none" && site !== "same-origin" && !isForeign(request, options)) {
    throw fromElsewhere(); // a link, a picture or a script of another page: they have no Origin
  }
  if (!options.required) return;
  const bearer = /^Bearer +(.+)$/i.exec(request.headers.authorization ?? "")?.[1];
  if (bearer !== undefined) return checkToken(bearer, request.ip, options);
  checkLogin(request, options);
}

/** A token that nobody can guess never has to wait, however many wrong ones came before it. */
export function checkToken(given: string, address: string, options: AuthOptions): void {
  const token = options.token();
  if (token.length < UNGUESSABLE) checkGuesses(tokenGuesses, address, options);
  if (sameSecret(given, token)) return tokenGuesses.succeeded(address);
  tokenGuesses.failed(address);
  options.refused?.(address, "token");
  throw new ApiError("unauthorized", "The token is wrong.");
}

/** A page of another port can put cookies of our name beside ours: each is tried. */
function checkLogin(request: Asking, options: AuthOptions): void {
  const token = options.token();
  const { proof } = request;
  const cookies = isForeign(request, options) ? [] : sessionCookies(request);
  const valid = cookies.filter((cookie) => cookieIsValid(token, cookie, Date.now() / 1000));
  if (proof !== undefined && valid.some((cookie) => sameSecret(proof, csrfFor(token, cookie)))) {
    return;
  }
  if (valid.length === 0) {
    throw new ApiError("unauthorized", 'Log in first: "quarterdeck token --link" prints a link.');
  }
  throw new ApiError("unauthorized", NO_PROOF, { reason: "no_proof" });
}
const NO_PROOF =
  "This browser is logged in, but not this page: the login was made at another address (host and port), " +
  'or what the page had stored was cleared. "quarterdeck token --link" prints a new link.';

/** A wrong login code was tried. Right ones are never held up. */
export function wrongCode(address: string, options: AuthOptions): ApiError {
  checkGuesses(codeGuesses, address, options);
  codeGuesses.failed(address);
  options.refused?.(address, "code");
  return new ApiError(
    "unauthorized",
    'This link was used already. "quarterdeck token --link" prints a new one.',
  );
}

/** Throws while the address has to wait. */
function checkGuesses(limit: FailureLimit, address: string, { refused }: AuthOptions): void {
  try {
    limit.check(address);
  } catch (error) {
    refused?.(address, "too_many");
    throw error;
  }
}

function sessionCookies({ headers }: Head): string[] {
  const pairs = (headers.cookie ?? "").split(";").map((part) => part.trim().split("=", 2));
  return pairs.flatMap(([name, value]) => (name === COOKIE && value !== undefined ? [value] : []));
}

export function cookieHeader(value: string, { secure = false }: { secure?: boolean }): string {
  const flags = `Path=/; HttpOnly; SameSite=Strict; Max-Age=${30 * 86_400}`;
  return `${COOKIE}=${value}; ${flags}${secure ? "; Secure" : ""}`;
}

/** Browsers leave out the port that the scheme has anyway; our list never does. */
function withPort(host: string, secure: boolean): string {
  return /:\d+$/.test(host) ? host : `${host}:${secure ? 443 : 80}`;
}

// Slows down guessing, loopback included: after too many failures an address waits.
type FailureLimit = {
  check(address: string): void;
  failed(address: string): void;
  succeeded(address: string): void;
};

function failureLimit({ max, windowMs }: { max: number; windowMs: number }): FailureLimit {
  const failures = new Map<string, { count: number; until: number }>();
  return {
    check(address) {
      const known = failures.get(address);
      if (!known) return;
      if (known.until < Date.now()) failures.delete(address);
      else if (known.count >= max) {
        const seconds = Math.ceil((known.until - Date.now()) / 1000);
        throw new ApiError("rate_limited", `Too many failures. Try again in ${seconds} s.`, {
          retry_after_s: seconds,
        });
      }
    },
    failed(address) {
      if (failures.size > 10_000) failures.clear(); // bounded, whatever is thrown at it
      const known = failures.get(address) ?? { count: 0, until: Date.now() + windowMs };
      failures.set(address, { ...known, count: known.count + 1 });
    },
    succeeded(address) {
      failures.delete(address);
    },
  };
}
