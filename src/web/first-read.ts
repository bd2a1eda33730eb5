// A small file of its own that runs while the page's program is still on its way (vite.config.ts): it asks
// who is looking and begins to read the session that the address names.
import { historyOver, readAhead, type ReadHistory } from "../kernel/client/history.ts";
import { proofHeaders } from "./auth/login-proof.ts";

/** The session that the address names. */
export const firstSession = sessionIn(location.pathname);

const readPast = historyOver((path, signal) => fetch(path, { signal, headers: proofHeaders() }));
const stop = new AbortController();

/** The answer to the question who is looking, where it was asked. */
export const firstAnswer = location.hash.includes("login=") // nobody, before the code was exchanged
  ? null
  : fetch("/api/auth/session", { headers: { accept: "application/json", ...proofHeaders() } });

// Its texts are markdown: what draws it comes beside the program, not after it. If it does not, whoever needs it says so.
if (firstSession !== null) {
  import("./markdown/warm.ts").catch(() => undefined);
  import("./markdown/markdown.tsx").catch(() => undefined);
}

let past = firstAnswer && firstSession !== null ? readAhead(readOnceIn(firstSession)) : null;

/** For the first who follows that session; everybody else reads anew. */
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
