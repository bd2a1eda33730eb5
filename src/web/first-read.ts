// Runs before the main bundle is loaded (vite.config.ts): checks the login and starts reading the session in
// the address.
import { historyOver, readAhead, type ReadHistory } from "../kernel/client/history.ts";
import { proofHeaders } from "./auth/login-proof.ts";

export const firstSession = sessionIn(location.pathname);

const readPast = historyOver((path, signal) => fetch(path, { signal, headers: proofHeaders() }));
const stop = new AbortController();

/** The pending login check, if it was sent. */
export const firstAnswer = location.hash.includes("login=") // nobody, before the code was exchanged
  ? null
  : fetch("/api/auth/session", { headers: { accept: "application/json", ...proofHeaders() } });

// Loads the markdown renderer in parallel; its user reports a failure.
if (firstSession !== null) {
  import("./markdown/warm.ts").catch(() => undefined);
  import("./markdown/markdown.tsx").catch(() => undefined);
}

let past = firstAnswer && firstSession !== null ? readAhead(readOnceIn(firstSession)) : null;

/** Used once, by the first reader of that session. */
export const historyOf: ReadHistory = (sessionId, signal, to) => {
  const begun = sessionId === firstSession && to === undefined ? past : null;
  if (!begun) return readPast(sessionId, signal, to);
  past = null;
  signal.addEventListener("abort", () => stop.abort());
  return begun;
};

async function* readOnceIn(sessionId: string) {
  if ((await firstAnswer)?.ok) yield* readPast(sessionId, stop.signal);
}

function sessionIn(path: string): string | null {
  const name = /^\/s\/([^/]+)/.exec(path)?.[1];
  try {
    return name === undefined ? null : decodeURIComponent(name);
  } catch {
    return null; // a malformed escape names nothing
  }
}
