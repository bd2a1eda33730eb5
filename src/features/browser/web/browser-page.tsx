// The agents' browser: whether there is one, which one, and how to connect one. Updates with the system log.
import { useState } from "react";
import { browserCalls, type BrowserCalls } from "../client.ts";
import type { BrowserView } from "../records.ts";
import { visibleLine } from "../../../kernel/text/visible-text.ts";
import { useCalls } from "../../../web/app-context.ts";
import { AdminPage } from "../../../web/admin/admin-page.tsx";
import { useSystemQuery } from "../../../web/use-query.ts";
import { useMutation } from "../../../web/use-mutation.ts";
import { plural } from "../../../web/text/format.ts";
import { Badge, type Tone } from "../../../web/ui/badge.tsx";
import { Button } from "../../../web/ui/button.tsx";
import { Problem } from "../../../web/ui/problem.tsx";
import { Time } from "../../../web/ui/time.tsx";
import styles from "./browser-page.module.css";
import { CopyButton } from "../../../web/ui/copy-button.tsx";
import { Form, TextField } from "../../../web/ui/form.tsx";

export function BrowserPage() {
  return (
    <AdminPage name="browser">
      <p className="muted">
        Agents can open, read, click, type and take screenshots in a browser. Each host asks for
        your permission first, as every use of the network does.
      </p>
      <Choice />
    </AdminPage>
  );
}

function Choice() {
  const calls = useCalls(browserCalls);
  const { value, problem, refresh } = useSystemQuery(["browser"], calls.browser);
  if (!value) return problem ? <Problem text={problem} /> : <p>Loading…</p>;
  return (
    <>
      <Problem text={problem} />
      <Status view={value} calls={calls} refresh={refresh} />
      {!value.connected && <Start view={value} calls={calls} refresh={refresh} />}
      {!value.connected && <ConnectForm calls={calls} refresh={refresh} />}
    </>
  );
}

type PartProps = { view: BrowserView; calls: BrowserCalls; refresh: () => void };

function Status({ view, calls, refresh }: PartProps) {
  const { tone, label, about } = standingOf(view);
  const task = useMutation();
  return (
    <section className={styles.card} data-part="status" data-mode={view.mode ?? "none"}>
      <div className="row flex-wrap gap-words">
        <h2>Now</h2>
        <Badge tone={tone} status={view.connected ? "connected" : "disconnected"} dot>
          {label}
        </Badge>
      </div>
      <p>{visibleLine(about)}</p>
      {view.connected && (
        <p className="muted break-anywhere">
          By {visibleLine(view.by ?? "")}, <Time at={view.since ?? 0} />.{" "}
          {view.active_sessions === 0
            ? "No run that is under way has used it."
            : `${plural(view.active_sessions, "session")} with a run under way used it.`}
        </p>
      )}
      <Facts view={view} />
      <Problem text={task.problem} />
      {view.connected && (
        <div className="flex flex-wrap gap-m">
          <Button
            tone="danger"
            disabled={task.busy}
            onClick={() => task.run(calls.disconnect, refresh)}
          >
            Disconnect
          </Button>
          <Button disabled={task.busy} onClick={refresh}>
            Check again
          </Button>
        </div>
      )}
    </section>
  );
}

function Facts({ view: { missing, notes } }: { view: BrowserView }) {
  if (missing.length + notes.length === 0) return null;
  return (
    <ul className={styles.facts} data-part="facts">
      {missing.map((each) => (
        <li key={each} data-kind="missing">
          {visibleLine(each)}
        </li>
      ))}
      {notes.map((each) => (
        <li key={each}>{visibleLine(each)}</li>
      ))}
    </ul>
  );
}

function Start({ view, calls, refresh }: PartProps) {
  const task = useMutation();
  return (
    <section className={styles.card} aria-labelledby="start-browser">
      <h2 id="start-browser">Start a browser</h2>
      <p className="muted break-anywhere">
        A Chrome of its own, without a window and without your cookies. It starts when an agent
        first needs it, reaches the public internet only, and ends with the runner.
      </p>
      {view.executable !== null && (
        <p className="muted break-anywhere">
          Using <code>{visibleLine(view.executable)}</code>
        </p>
      )}
      <Problem text={task.problem} />
      <div className="flex flex-wrap gap-m">
        <Button
          tone="primary"
          disabled={task.busy || !view.requirements_ok}
          onClick={() => task.run(() => calls.connect({ mode: "start" }), refresh)}
        >
          Start a browser
        </Button>
      </div>
    </section>
  );
}

// Connects to a running Chrome, including its logins.
function ConnectForm({ calls, refresh }: { calls: BrowserCalls; refresh: () => void }) {
  const [address, setAddress] = useState(USUAL_ADDRESS);
  const task = useMutation();
  return (
    <Form
      className={styles.card}
      aria-labelledby="connect-browser"
      onSubmit={() => task.run(() => calls.connect({ mode: "connect", cdp_url: address }), refresh)}
    >
      <h2 id="connect-browser">Connect to a running Chrome</h2>
      <p className="muted break-anywhere">
        Agents then work in tabs of your own browser, with your cookies and your network. Start it
        with a debugging port:
      </p>
      <div className="row justify-between gap-m p-bar rounded sunken">
        <code className="flex-1 min-w-0 break-anywhere">{CHROME_COMMAND}</code>
        <CopyButton text={CHROME_COMMAND} what="the command" />
      </div>
      <TextField
        label="Address"
        value={address}
        autoComplete="off"
        spellCheck={false}
        inputMode="url"
        onChange={setAddress}
      />
      <Problem text={task.problem} />
      <div className="flex flex-wrap gap-m">
        <Button type="submit" disabled={task.busy || address.trim() === ""}>
          {task.busy ? "Connecting…" : "Connect"}
        </Button>
      </div>
    </Form>
  );
}

// Labels for the state of the agents' browser. Pure.
const USUAL_ADDRESS = "http://127.0.0.1:9222";
/** A separate profile, because Chrome opens no debugging port on the default one. */
const CHROME_COMMAND =
  'google-chrome --remote-debugging-port=9222 --user-data-dir="$HOME/.chrome-agents"';

type Standing = { readonly tone: Tone; readonly label: string; readonly about: string };

function standingOf({ mode, reachable, cdp_url, version }: BrowserView): Standing {
  if (mode === null) {
    return { tone: "neutral", label: "Not connected", about: "Agents have no browser." };
  }
  if (mode === "start") {
    const about = reachable
      ? "Agents have a browser of their own, started when one needs it."
      : "Agents may start a browser, but something is missing here.";
    return { tone: reachable ? "good" : "bad", label: reachable ? "Ready" : "Cannot start", about };
  }
  if (reachable) {
    const about = `Agents work in the live browser at ${cdp_url} (${version}).`;
    return { tone: "good", label: "Connected", about };
  }
  const about = `The live browser at ${cdp_url} does not answer. Start it again, or disconnect.`;
  return { tone: "bad", label: "Does not answer", about };
}
