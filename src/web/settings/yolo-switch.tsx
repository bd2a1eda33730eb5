// Turns off all approvals for one session, after a confirmation. A badge shows it wherever the session is
// shown.
import { useState } from "react";
import { Checkbox } from "../ui/form.tsx";
import { useApp } from "../app-context.ts";
import { YoloRisk } from "../composer/yolo-question.tsx";
import { useLive } from "../session/use-session.ts";
import { Button } from "../ui/button.tsx";
import form from "../ui/form.module.css";
import { Problem } from "../ui/problem.tsx";
import { useMutation } from "../use-mutation.ts";

export function YoloSwitch({ sessionId }: { sessionId: string }) {
  const { api, refreshSessions } = useApp();
  const command = useMutation();
  const yolo = useLive(({ session }) => session.yolo);
  const [asking, setAsking] = useState(false);
  const turn = (wanted: boolean) =>
    command.send(
      { yolo: wanted },
      (command_id) => api.updateSession(sessionId, { yolo: wanted, command_id }),
      () => {
        setAsking(false);
        refreshSessions();
      },
    );
  return (
    <section className={form.section} aria-label="Approvals">
      <h3>Approvals</h3>
      <Checkbox
        role="switch"
        checked={yolo}
        disabled={command.busy}
        onChange={() => (yolo ? turn(false) : setAsking(true))}
      >
        Run everything without asking (YOLO)
      </Checkbox>
      {asking && !yolo && (
        <div className="stack gap-m p-l rounded warn-soft" role="alert">
          <p>
            <YoloRisk />
          </p>
          <div className="row flex-wrap gap-m">
            <Button tone="danger" disabled={command.busy} onClick={() => turn(true)}>
              Stop asking
            </Button>
            <Button onClick={() => setAsking(false)}>Keep asking</Button>
          </div>
        </div>
      )}
      <Problem text={command.problem} />
    </section>
  );
}
