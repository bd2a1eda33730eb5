// Pause, resume and clear the goal; used by the bar and the settings.
import { useApp } from "../app-context.ts";
import { Button } from "../ui/button.tsx";
import { Problem } from "../ui/problem.tsx";
import { useMutation } from "../use-mutation.ts";

type GoalButtonsProps = {
  sessionId: string;
  status: "active" | "paused";
  onCleared?: () => void;
};

export function GoalButtons({ sessionId, status, onCleared }: GoalButtonsProps) {
  const { api } = useApp();
  const command = useMutation();
  const turn = status === "active" ? "pause" : "resume";
  const act = (action: "pause" | "resume" | "clear", done?: () => void) =>
    command.send(
      action,
      (command_id) => api.updateGoal(sessionId, { action, command_id }),
      () => done?.(),
    );
  return (
    <>
      <Button tone="quiet" disabled={command.busy} onClick={() => act(turn)}>
        {turn === "pause" ? "Pause" : "Resume"}
      </Button>
      <Button tone="quiet" disabled={command.busy} onClick={() => act("clear", onCleared)}>
        Clear
      </Button>
      <Problem text={command.problem} />
    </>
  );
}
