// The demo panel: kills the runner of a scripted run to show that the run continues. Afterwards: connect a
// model.
import { Suspense, useEffect, useState } from "react";
import { lazyPart } from "../../../web/ui/lazy-part.ts";
import { toApiFailure } from "../../../kernel/client/api-failure.ts";
import type { SessionView } from "../../../kernel/client/sessions/store.ts";
import { get } from "../../../kernel/state/vector.ts";
import { useApp } from "../../../web/app-context.ts";
import { useReplayNoted } from "../../../web/hud/replay-mark.ts";
import { activeRunId, currentRunId, isDemoModel } from "../../../web/session/active-run.ts";
import { useLive, useLiveStore } from "../../../web/session/use-session.ts";
import { isTour } from "../../../web/new-session/demo-session.ts";
import { duration } from "../../../web/text/format.ts";
import { Button } from "../../../web/ui/button.tsx";
import styles from "./demo-panel.module.css";

type Killed = { pid: number; runnerId: string | null; at: number; backAfterMs: number | null };

const DemoCard = lazyPart(() => import("./demo-card.tsx"), "DemoCard");

export function DemoPanel() {
  useReplayNoted(); // here because this stands on the page from the moment a session is opened
  const { sessionId } = useLiveStore();
  const runId = useLive(activeRunId);
  const model = useLive((view) => view.runs[runId ?? ""]?.model ?? "");
  const toured = useLive(tourIsOver);
  if (runId === null && toured) {
    return (
      <Suspense fallback={null}>
        <DemoCard sessionId={sessionId} />
      </Suspense>
    );
  }
  if (runId === null || !isDemoModel(model)) return null;
  return <KillRunner key={runId} runId={runId} />;
}

/** The newest run is the tour, and it has ended. */
function tourIsOver(view: SessionView): boolean {
  const { session, runs } = view;
  const run = runs[currentRunId(view) ?? ""];
  if (!view.caughtUp || run?.status !== "completed") return false;
  for (let at = session.runs.length - 1; at >= 0; at -= 1) {
    const summary = get(session.runs, at);
    if (summary?.runId === run.runId) return isTour(run, summary.prompt);
  }
  return false;
}

function KillRunner({ runId }: { runId: string }) {
  const { api } = useApp();
  const store = useLiveStore();
  const runnerId = useLive(({ runs }) => runs[runId]?.runnerId ?? null);
  const [killed, setKilled] = useState<Killed | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const away = killed !== null && killed.backAfterMs === null;
  const unable = away || runnerId === null;

  useEffect(() => {
    if (!killed || killed.backAfterMs !== null) return;
    return store.subscribe(() => {
      const now = store.getState().runs[runId]?.runnerId ?? null;
      if (now === null || now === killed.runnerId) return;
      setKilled({ ...killed, backAfterMs: performance.now() - killed.at });
    });
  }, [store, runId, killed]);

  const kill = () => {
    const at = performance.now();
    setProblem(null);
    api.killRunner(runId).then(
      ({ killed_pid: pid }) => setKilled({ pid, runnerId, at, backAfterMs: null }),
      (error: unknown) => setProblem(toApiFailure(error).message),
    );
  };
  return (
    <section className={styles.panel} aria-label="Demo" data-status={away ? "away" : "ready"}>
      <div className={styles.inner}>
        <p className={styles.words} role="status">
          {problem ??
            (killed
              ? outcomeOf(killed)
              : "Kill the process behind this run. It will pick up where it left off.")}
        </p>
        <Button
          tone="danger"
          icon="bolt"
          aria-disabled={unable} // not `disabled`: whoever pressed it keeps the focus
          onClick={() => !unable && kill()}
        >
          Kill the runner now
        </Button>
      </div>
    </section>
  );
}

function outcomeOf({ pid, backAfterMs }: Killed): string {
  const back =
    backAfterMs === null ? "waiting for the next one…" : `back after ${duration(backAfterMs)}`;
  return `Runner pid ${pid} killed · ${back}`;
}
