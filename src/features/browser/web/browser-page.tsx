// The agents' browser: whether there is one, which one, and how to connect one. Updates with the system log.
import { useMemo } from "react";
import { browserCalls, type BrowserCalls } from "../client.ts";
import type { BrowserView } from "../records.ts";
import { visibleLine } from "../../../kernel/text/visible-text.ts";
import { useApp } from "../../../web/app-context.ts";
import { AdminPage } from "../../../web/admin/admin-page.tsx";
import { useSystemQuery } from "../../../web/use-query.ts";
import { useMutation } from "../../../web/use-mutation.ts";
import { plural } from "../../../web/text/format.ts";
import { Badge } from "../../../web/ui/badge.tsx";
import { Button } from "../../../web/ui/button.tsx";
import { Problem } from "../../../web/ui/problem.tsx";
import { Time } from "../../../web/ui/time.tsx";
import styles from "./browser-page.module.css";
import { standingOf } from "./browser-labels.ts";
import { ConnectForm } from "./connect-form.tsx";

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
  const { api } = useApp();
  const calls = useMemo(() => browserCalls(api.calls), [api]);
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
