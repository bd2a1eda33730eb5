// The one secret of an installation. Everything that a browser holds is derived from it, so rotating it ends every
// login at once and no server has to remember any.
import { createHmac, hash, randomBytes, timingSafeEqual } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { changeFile } from "../home/replace-file.ts";

const SESSION_DAYS = 30;
const FILE = "token";
const MAX_BYTES = 4_096;

export function tokenPath(home: string): string {
  return join(home, FILE);
}

/** Empty when there is none. */
export function keptToken(home: string): string {
  const path = tokenPath(home);
  return existsSync(path) ? readFileSync(path, "utf8").trim() : "";
}

/** Made when there is none: processes that begin at once all have that of the first. */
export async function readToken(home: string): Promise<string> {
  return keptToken(home) || changeToken(home, (kept) => kept || newToken());
}

export function newToken(): string {
  return randomBytes(32).toString("base64url");
}

export async function writeToken(home: string): Promise<string> {
  return changeToken(home, newToken);
}

function changeToken(home: string, change: (kept: string) => string): Promise<string> {
  const file = { folder: { root: home, path: home }, name: FILE, limit: MAX_BYTES };
  return changeFile(file, (text = "") => {
    const kept = text.trim();
    const token = change(kept);
    return { text: token === kept ? undefined : `${token}\n`, result: token };
  });
}

export function sameSecret(a: string, b: string): boolean {
  // Hashed first: timingSafeEqual needs equal lengths, and the length is nobody's business.
  return timingSafeEqual(hash("sha256", a, "buffer"), hash("sha256", b, "buffer"));
}

export function issueCookie(token: string, nowS: number): string {
  const nonce = randomBytes(16).toString("base64url");
  const expires = Math.floor(nowS) + SESSION_DAYS * 86_400;
  return `${nonce}.${expires}.${sign(token, `cookie.${nonce}.${expires}`)}`;
}

export function cookieIsValid(token: string, cookie: string, nowS: number): boolean {
  const [nonce, expires, signature] = cookie.split(".");
  if (!nonce || !expires || !signature || Number(expires) < nowS) return false;
  return sameSecret(signature, sign(token, `cookie.${nonce}.${expires}`));
}

/** Proof that a request was made by the page that logged in. Who has only the cookie cannot make it. */
export function csrfFor(token: string, cookie: string): string {
  return sign(token, `csrf.${cookie}`);
}

/** Long enough to press a link, too short to find one later in a log or a history. */
export const LINK_SECONDS = 60;

export function newLoginCode(): { code: string; hash: string } {
  const code = randomBytes(24).toString("base64url");
  return { code, hash: loginCodeHash(code) };
}

export function loginCodeHash(code: string): string {
  return hash("sha256", `login.${code}`);
}

/** For the handshake that follows at once. */
export const TICKET_SECONDS = 30;

/**
 * A ticket opens one socket and is no login code: they are stored alike, under hashes of their own. One that was
 * given for another token is none.
 */
export function newTicket(token: string): { ticket: string; hash: string } {
  const ticket = randomBytes(24).toString("base64url");
  return { ticket, hash: ticketHash(token, ticket) };
}

export function ticketHash(token: string, ticket: string): string {
  return sign(token, `ticket.${ticket}`);
}

function sign(token: string, text: string): string {
  return createHmac("sha256", token).update(text).digest("base64url");
}
