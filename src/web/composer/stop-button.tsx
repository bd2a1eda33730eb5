// Stops the run; says so until the runner has confirmed.
import { Button } from "../ui/button.tsx";

export function StopButton({ stopping, onStop }: { stopping: boolean; onStop: () => void }) {
  return (
    <Button
      icon="stop"
      disabled={stopping}
      onClick={onStop}
      data-status={stopping ? "stopping" : "ready"}
    >
      {stopping ? "Stopping…" : "Stop"}
    </Button>
  );
}
