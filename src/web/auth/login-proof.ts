// The proof of this browser's login. Only this origin can read it; the cookie alone, which every port of the
// host gets, is worthless (ADR 32).
import type { Credentials } from "../../kernel/client/api.ts";
import { CSRF_HEADER, socketProtocols } from "../../kernel/events/login-proof.ts";
import { onRemembered, recall, remember } from "../storage.ts";

const KEY = "quarterdeck.login";
let here: string | null = null; // where nothing can be stored, a login lasts until the page is reloaded

/** Null if this origin has no login, or its storage was cleared. */
export function loginProof(): string | null {
  return recall(KEY) ?? here;
}

export function keepLoginProof(proof: string): void {
  here = proof;
  remember(KEY, proof);
}

/** Another tab has logged in. */
export function onLoginElsewhere(listener: () => void): () => void {
  return onRemembered((key, value) => {
    if (key === KEY && value !== null) listener();
  });
}

export const PAGE_CREDENTIALS: Credentials = { kind: "cookie", csrf: loginProof };

export function proofHeaders(): Record<string, string> {
  const proof = loginProof();
  return proof === null ? {} : { [CSRF_HEADER]: proof };
}

export function openSocket(path: string): WebSocket {
  const { protocol, host } = location;
  const scheme = protocol === "https:" ? "wss:" : "ws:";
  return new WebSocket(`${scheme}//${host}${path}`, socketProtocols(loginProof()));
}
