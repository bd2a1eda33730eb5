// Shown to a person without a login: what happened, and the command that helps.
import { useState, type FormEvent } from "react";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { Icon } from "../ui/icon.tsx";
import styles from "./login-page.module.css";

const COMMAND = "quarterdeck token --link";
const IN_CHECKOUT = "npm run -s quarterdeck -- token --link";

type LoginPageProps = { problem: string | null; onCode: (code: string) => void };

export function LoginPage({ problem, onCode }: LoginPageProps) {
  const [text, setText] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const code = text.trim().split("login=").at(-1) ?? "";
    if (code !== "") onCode(code);
  };
  return (
    <main className={styles.page} data-page="login">
      <span className={styles.mark}>
        <Icon name="wheel" />
      </span>
      <h1 className="title">You’re signed out</h1>
      <p>
        Open a sign-in link to continue. Each link works once, within a minute. To get a new one,
        run this where Quarterdeck is installed, and open the link it prints:
      </p>
      <div className="row justify-between gap-m rounded sunken p-copy">
        <code className="break-anywhere">{COMMAND}</code>
        <CopyButton text={COMMAND} what="command" />
      </div>
      <p>
        In a checkout it is <code>{IN_CHECKOUT}</code>.
      </p>
      <form className={styles.form} onSubmit={submit}>
        <label htmlFor="login-code">Or paste the link or its code here</label>
        <div className="flex gap-m">
          <input
            className="input flex-1 min-w-0 p-tab"
            id="login-code"
            value={text}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => setText(event.target.value)}
          />
          <Button type="submit" tone="primary" disabled={text.trim() === ""}>
            Log in
          </Button>
        </div>
        {problem !== null && (
          <p className="bad" role="alert">
            {problem}
          </p>
        )}
      </form>
    </main>
  );
}
