// How a page proves that it is the one that logged in. Browsers send a cookie to every port of a host, so a cookie
// alone proves nothing: with it comes a value that only the page that logged in can read.

/** On every request of a page. */
export const CSRF_HEADER = "x-quarterdeck-csrf";

/** What a page asks to speak on a WebSocket, which takes no headers of a page: this, and one entry with the proof. */
export const SOCKET_PROTOCOL = "quarterdeck";
const SOCKET_PROOF = `${SOCKET_PROTOCOL}.csrf.`;

export function socketProtocols(proof: string | null): string[] {
  return proof === null ? [] : [SOCKET_PROTOCOL, `${SOCKET_PROOF}${proof}`];
}

/** Of a `Sec-WebSocket-Protocol` header. */
export function proofInProtocols(offered: string | undefined): string | undefined {
  const entries = (offered ?? "").split(",").map((entry) => entry.trim());
  return entries.find(isProof)?.slice(SOCKET_PROOF.length);
}

/** What the server answers with: the first entry that is not a proof, which must not be repeated. */
export function chosenProtocol(offered: Iterable<string>): string | false {
  return [...offered].find((entry) => !isProof(entry)) ?? false;
}

function isProof(entry: string): boolean {
  return entry.startsWith(SOCKET_PROOF);
}
