// Settings of a session from its next run on. Every part saves by itself, so one refusal loses nothing else.
import { useState } from "react";
import type { SheetProps } from "../session/sheet-host.tsx";
import { Sheet } from "../ui/sheet.tsx";
import { SessionSkills } from "../../features/skills/web/session-skills.tsx";
import { ModelForm } from "./model-form.tsx";
import { Checkbox, Form, TextField } from "../ui/form.tsx";
import { useApp } from "../app-context.ts";
import { useLive } from "../session/use-session.ts";
import { Button } from "../ui/button.tsx";
import form from "../ui/form.module.css";
import { Problem } from "../ui/problem.tsx";
import { useMutation } from "../use-mutation.ts";
import { GoalButtons } from "../goal/goal-buttons.tsx";
import { YoloRisk } from "../composer/yolo-question.tsx";

export function SettingsSheet({ sessionId, onClose }: SheetProps<"settings">) {
  return (
    <Sheet title="Session settings" onClose={onClose}>
      <ModelForm sessionId={sessionId} />
      <GoalForm sessionId={sessionId} />
      <YoloSwitch sessionId={sessionId} />
      <SessionSkills sessionId={sessionId} />
      <Compress sessionId={sessionId} />
    </Sheet>
  );
}

// Edits the session's goal, which the agent checks before it ends a run.
function GoalForm({ sessionId }: { sessionId: string }) {
  const { api } = useApp();
  const command = useMutation();
  const goal = useLive(({ session }) => session.goal);
  const [text, setText] = useState(goal?.text ?? "");
  const wanted = text.trim();
  const save = () => {
    const request = { action: goal ? "edit" : "set", text: wanted } as const;
    command.send(request, (command_id) => api.updateGoal(sessionId, { ...request, command_id }));
  };
  return (
    <Form className={form.section} onSubmit={save}>
      <h3>Goal</h3>
      <TextField
        label={goal ? STANDS[goal.status] : "What should the agent achieve?"}
        rows={2}
        maxLength={8_192}
        value={text}
        onChange={setText}
      />
      <p className="hint">The agent keeps working until this is met. Send a message to start.</p>
      <Problem text={command.problem} />
      <div className="row flex-wrap gap-m">
        <Button type="submit" disabled={command.busy || wanted === "" || wanted === goal?.text}>
          {goal ? "Change the goal" : "Set the goal"}
        </Button>
        {goal && (
          <GoalButtons sessionId={sessionId} status={goal.status} onCleared={() => setText("")} />
        )}
      </div>
    </Form>
  );
}

const STANDS = { active: "Active", paused: "Paused" } as const;

// Compacts the conversation: the model gets a summary instead. Nothing is deleted.
function Compress({ sessionId }: { sessionId: string }) {
  const { api } = useApp();
  const command = useMutation();
  const [focus, setFocus] = useState("");
  const [asked, setAsked] = useState(false);
  const go = () => {
    const request = focus.trim() === "" ? {} : { focus: focus.trim() };
    command.send(
      { compress: request },
      (command_id) => api.compress(sessionId, { ...request, command_id }),
      () => setAsked(true),
    );
  };
  return (
    <Form className={form.section} onSubmit={go}>
      <h3>Compact conversation</h3>
      <p className="hint">
        The model gets a summary of the messages so far. The original stays visible here.
      </p>
      <TextField
        label="What the summary must keep (optional)"
        value={focus}
        maxLength={2_000}
        onChange={setFocus}
      />
      <Problem text={command.problem} />
      <div className="row flex-wrap gap-m">
        <Button type="submit" disabled={command.busy}>
          Compact now
        </Button>
        {asked && (
          <span className="hint" role="status">
            Started; see the transcript.
          </span>
        )}
      </div>
    </Form>
  );
}

// Turns off all approvals for one session, after a confirmation. A badge shows it wherever the session is
// shown.
function YoloSwitch({ sessionId }: { sessionId: string }) {
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
