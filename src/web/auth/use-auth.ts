// Who is looking. The one-use code comes in the address, is taken out of it before anything else
// happens, and is exchanged for a cookie this page cannot read.
import { useCallback, useEffect, useState } from "react";
import { createApi } from "../../client/api.ts";
import { toApiFailure } from "../../client/api-failure.ts";

export type Asked = { readonly authenticated: boolean; readonly csrf: string | null };
export type Auth =
  | { readonly state: "checking" }
  | { readonly state: "in"; readonly csrf: string | null }
  | { readonly state: "out"; readonly problem: string | null }
  | { readonly state: "away"; readonly problem: string };

const RETRY_MS = 1_500;
const anonymous = createApi({ base: "", credentials: { kind: "cookie", csrf: null } });

/** Takes the code out of the address: it must not stay in history, bookmarks or screenshots. */
function takeCode(): string | null {
  const code = new URLSearchParams(location.hash.slice(1)).get("login");
  if (code !== null) history.replaceState(null, "", location.pathname + location.search);
  return code;
}

async function enter(code: string | null, asked?: Promise<Asked>): Promise<Auth> {
  try {
    if (code !== null) return { state: "in", csrf: (await anonymous.login(code)).csrf };
    const { authenticated, csrf } = await (asked ?? anonymous.authSession());
    return authenticated ? { state: "in", csrf } : { state: "out", problem: null };
  } catch (error) {
    const failure = toApiFailure(error);
    if (failure.retryable && failure.status !== 429) {
      return { state: "away", problem: failure.message };
    }
    if (code === null) return { state: "out", problem: null };
    const known = await enter(null); // a used link on a page that is logged in already is no problem
    return known.state === "in" ? known : { state: "out", problem: failure.message };
  }
}

/** `first`: the answer to the first question, where it was asked already. */
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
    if (auth.state !== "away") return;
    const timer = setTimeout(() => login(null), RETRY_MS);
    return () => clearTimeout(timer);
  }, [auth, login]);

  const lost = useCallback(() => setAuth({ state: "out", problem: null }), []);
  return { auth, login, lost };
}
