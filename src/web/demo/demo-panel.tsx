// The proof in ten seconds: kill the process that is writing, and see the same run go on. Only for runs
// of the scripted model.
import { useEffect, useState } from "react";
import { toApiFailure } from "../../client/api-failure.ts";
import { useApp } from "../app-context.ts";
import { activeRunId, isDemoModel } from "../session/active-run.ts";
import { useLive, useLiveStore } from "../session/use-session.ts";
import { duration } from "../text/format.ts";
import { Button } from "../ui/button.tsx";
import styles from "./demo-panel.module.css";

type Killed = { pid: number; runnerId: string | null; at: number; backAfterMs: number | null };

export function DemoPanel() {
  const runId = useLive(activeRunId);
  const model = useLive((view) => view.runs[runId ?? ""]?.model ?? "");
  if (runId === null || !isDemoModel(model)) return null;
  return <KillRunner key={runId} runId={runId} />;
}

function KillRunner({ runId }: { runId: string }) {
  const { api } = useApp();
  const store = useLiveStore();
  const runnerId = useLive(({ runs }) => runs[runId]?.runnerId ?? null);
  const [killed, setKilled] = useState<Killed | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const away = killed !== null && killed.backAfterMs === null;

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
              : "Kill the process that runs this. The run goes on: same id, nothing lost.")}
        </p>
        <Button tone="danger" icon="bolt" disabled={away || runnerId === null} onClick={kill}>
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
