// The login state. The one-use code is removed from the address first, then exchanged for a cookie and a proof
// (login-proof.ts).
import { useCallback, useEffect, useState } from "react";
import { createApi } from "../../kernel/client/api.ts";
import { toApiFailure, type ApiFailure } from "../../kernel/client/api-failure.ts";
import { keepLoginProof, onLoginElsewhere, PAGE_CREDENTIALS } from "./login-proof.ts";

export type Asked = { readonly authenticated: true };
export type Auth =
  | { readonly state: "checking" }
  | { readonly state: "in" }
  | { readonly state: "out"; readonly problem: string | null }
  | { readonly state: "away"; readonly problem: string };

const RETRY_MS = 1_500;
const api = createApi({ base: "", credentials: PAGE_CREDENTIALS });

/** Removes the code from the address: it must not stay in history, bookmarks or screenshots. */
function takeCode(): string | null {
  const code = new URLSearchParams(location.hash.slice(1)).get("login");
  if (code !== null) history.replaceState(null, "", location.pathname + location.search);
  return code;
}

async function enter(code: string | null, asked?: Promise<Asked>): Promise<Auth> {
  try {
    if (code === null) await (asked ?? api.authSession());
    else keepLoginProof((await api.login(code)).csrf);
    return { state: "in" };
  } catch (error) {
    const failure = toApiFailure(error);
    if (failure.retryable && failure.status !== 429) {
      return { state: "away", problem: failure.message };
    }
    if (code === null)
      return { state: "out", problem: hasNoProof(failure) ? failure.message : null };
    const known = await enter(null); // a used link on a page that is logged in already is no problem
    return known.state === "in" ? known : { state: "out", problem: failure.message };
  }
}

/** The browser has a login, but not at this origin. */
function hasNoProof({ details }: ApiFailure): boolean {
  return (details as { reason?: unknown } | undefined)?.reason === "no_proof";
}

/** `first`: the pending answer of the first check. */
export function useAuth(first: Promise<Asked> | undefined) {
  const [auth, setAuth] = useState<Auth>({ state: "checking" });
  const login = useCallback((code: string | null, asked?: Promise<Asked>) => {
    enter(code, asked).then(setAuth, (error: unknown) =>
      setAuth({ state: "away", problem: toApiFailure(error).message }),
    );
  }, []);

  useEffect(() => {
    login(takeCode(), first);
    const onHash = () => {
      const code = takeCode();
      if (code !== null) login(code);
    };
    window.addEventListener("hashchange", onHash);
    return () => window.removeEventListener("hashchange", onHash);
  }, [login, first]);

  useEffect(() => {
    if (auth.state === "out") return onLoginElsewhere(() => login(null));
    if (auth.state !== "away") return;
    const timer = setTimeout(() => login(null), RETRY_MS);
    return () => clearTimeout(timer);
  }, [auth, login]);

  const lost = useCallback(() => {
    setAuth({ state: "checking" }); // another tab may have logged in again
    login(null);
  }, [login]);
  return { auth, login, lost };
}
