// How a page proves that it is the one that logged in. Browsers send a cookie to every port of a host, so a cookie
// alone proves nothing: with it comes a value that only the page that logged in can read.

/** On every request of a page. */
export const CSRF_HEADER = "x-quarterdeck-csrf";

/** What a page asks to speak on a WebSocket, which takes no headers of a page: this, and one entry with the proof. */
export const SOCKET_PROTOCOL = "quarterdeck";
const SOCKET_PROOF = `${SOCKET_PROTOCOL}.csrf.`;
/** Of a page of another origin, which has a token and no cookie: a ticket that works once (`/api/auth/ticket`). */
const SOCKET_TICKET = `${SOCKET_PROTOCOL}.ticket.`;

export function socketProtocols(proof: string | null): string[] {
  return proof === null ? [] : [SOCKET_PROTOCOL, `${SOCKET_PROOF}${proof}`];
}

/** Of a `Sec-WebSocket-Protocol` header. */
export function proofInProtocols(offered: string | undefined): string | undefined {
  return entryAfter(SOCKET_PROOF, offered);
}

export function ticketInProtocols(offered: string | undefined): string | undefined {
  return entryAfter(SOCKET_TICKET, offered);
}

function entryAfter(prefix: string, offered: string | undefined): string | undefined {
  const entries = (offered ?? "").split(",").map((entry) => entry.trim());
  return entries.find((entry) => entry.startsWith(prefix))?.slice(prefix.length);
}

/** What the server answers with: the first entry that is no secret. */
export function chosenProtocol(offered: Iterable<string>): string | false {
  const secret = [SOCKET_PROOF, SOCKET_TICKET];
  return [...offered].find((entry) => !secret.some((prefix) => entry.startsWith(prefix))) ?? false;
}
