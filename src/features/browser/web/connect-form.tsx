// Connects to a running Chrome, including its logins.
import { useState } from "react";
import type { BrowserCalls } from "../client.ts";
import { useMutation } from "../../../web/use-mutation.ts";
import { Button } from "../../../web/ui/button.tsx";
import { CopyButton } from "../../../web/ui/copy-button.tsx";
import form from "../../../web/ui/form.module.css";
import { Problem } from "../../../web/ui/problem.tsx";
import styles from "./browser-page.module.css";
import { CHROME_COMMAND, USUAL_ADDRESS } from "./browser-labels.ts";

export function ConnectForm({ calls, refresh }: { calls: BrowserCalls; refresh: () => void }) {
  const [address, setAddress] = useState(USUAL_ADDRESS);
  const task = useMutation();
  return (
    <form
      className={styles.card}
      aria-labelledby="connect-browser"
      onSubmit={(event) => {
        event.preventDefault();
        task.run(() => calls.connect({ mode: "connect", cdp_url: address }), refresh);
      }}
    >
      <h2 id="connect-browser">Connect to a running Chrome</h2>
      <p className="muted break-anywhere">
        Agents then work in tabs of your own browser, with your cookies and your network. Start it
        with a debugging port:
      </p>
      <div className={styles.command}>
        <code>{CHROME_COMMAND}</code>
        <CopyButton text={CHROME_COMMAND} what="the command" />
      </div>
      <label className={form.field}>
        <span>Address</span>
        <input
          value={address}
          autoComplete="off"
          spellCheck={false}
          inputMode="url"
          onChange={(event) => setAddress(event.target.value)}
        />
      </label>
      <Problem text={task.problem} />
      <div className="flex flex-wrap gap-m">
        <Button type="submit" disabled={task.busy || address.trim() === ""}>
          {task.busy ? "Connecting…" : "Connect"}
        </Button>
      </div>
    </form>
  );
}
