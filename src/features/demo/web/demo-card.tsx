// Shown at the end of the demo: how to connect a model.
import { useState } from "react";
import { useApp } from "../../../web/app-context.ts";
import { useLive } from "../../../web/session/use-session.ts";
import { forNewSessions, ModelLines } from "../../../web/new-session/bring-model.tsx";
import { useChosenModel } from "../../../web/new-session/chosen-model.ts";
import { FoundModels, type ModelUse } from "../../../web/new-session/found-models.tsx";
import { recall, remember } from "../../../web/storage.ts";
import { Button } from "../../../web/ui/button.tsx";
import { Problem } from "../../../web/ui/problem.tsx";
import { useMutation } from "../../../web/use-mutation.ts";
import styles from "./demo-panel.module.css";

const KEY = "quarterdeck.demo-card";

export function DemoCard({ sessionId }: { sessionId: string }) {
  const [left, setLeft] = useState(() => recall(KEY) !== null);
  const { api, refreshSessions } = useApp();
  const command = useMutation();
  const model = useLive(({ session }) => session.model);
  const chosen = useChosenModel();
  if (left) return null;
  const here: ModelUse = {
    label: "Use here",
    inUse: model,
    done: "Used here",
    use: (name) =>
      command.send(
        { model: name },
        (command_id) => api.updateSession(sessionId, { model: name, command_id }),
        refreshSessions,
      ),
  };
  return (
    <section className={styles.panel} aria-labelledby="demo-card">
      <div className={styles.card} data-demo-card>
        <header className={styles.head}>
          <h2 id="demo-card">That was the demo. Now connect a model.</h2>
          <Button
            tone="quiet"
            onClick={() => {
              remember(KEY, "later");
              setLeft(true);
            }}
          >
            Later
          </Button>
        </header>
        <FoundModels uses={[here, forNewSessions(chosen)]} otherwise={<ModelLines />} />
        <Problem text={command.problem} />
      </div>
    </section>
  );
}
