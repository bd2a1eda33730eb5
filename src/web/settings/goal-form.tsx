// Edits the session's goal, which the agent checks before it ends a run.
import { useState } from "react";
import { useApp } from "../app-context.ts";
import { useLive } from "../session/use-session.ts";
import { Button } from "../ui/button.tsx";
import form from "../ui/form.module.css";
import { Problem } from "../ui/problem.tsx";
import { useMutation } from "../use-mutation.ts";
import { GoalButtons } from "../goal/goal-buttons.tsx";

export function GoalForm({ sessionId }: { sessionId: string }) {
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
    <form
      className={form.section}
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <h3>Goal</h3>
      <label className={form.field}>
        <span>{goal ? STANDS[goal.status] : "What should the agent achieve?"}</span>
        <textarea
          rows={2}
          maxLength={8_192}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </label>
      <p className={form.hint}>
        The agent keeps working until this is met. Send a message to start.
      </p>
      <Problem text={command.problem} />
      <div className="row flex-wrap gap-m">
        <Button type="submit" disabled={command.busy || wanted === "" || wanted === goal?.text}>
          {goal ? "Change the goal" : "Set the goal"}
        </Button>
        {goal && (
          <GoalButtons sessionId={sessionId} status={goal.status} onCleared={() => setText("")} />
        )}
      </div>
    </form>
  );
}

const STANDS = { active: "Active", paused: "Paused" } as const;
