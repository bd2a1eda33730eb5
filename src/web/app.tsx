// The outermost component: login, then the workbench.
import type { ReactNode } from "react";
import { LoginPage } from "./auth/login-page.tsx";
import { useAuth, type Asked, type Auth } from "./auth/use-auth.ts";
import styles from "./app.module.css";
import { Workbench } from "./workbench.tsx";

type AuthOf<State extends Auth["state"]> = Extract<Auth, { state: State }>;
type Views = { [State in Auth["state"]]: (auth: AuthOf<State>) => ReactNode };

/** `asked`: the pending answer of the login check. */
export function App({ asked }: { asked: Promise<Asked> | undefined }) {
  const { auth, login, lost } = useAuth(asked);
  const views: Views = {
    checking: () => null, // answered within milliseconds; a flash of anything would be noise
    away: ({ problem }) => <p className={styles.away}>{problem} Trying again…</p>,
    out: ({ problem }) => <LoginPage problem={problem} onCode={login} />,
    in: () => <Workbench onLoggedOut={lost} />,
  };
  const view = views[auth.state] as (auth: Auth) => ReactNode;
  return view(auth);
}
