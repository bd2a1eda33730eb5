// Says that the open session was deleted, and restores it.
import { useApp } from "../app-context.ts";
import { Button } from "../ui/button.tsx";
import { Problem } from "../ui/problem.tsx";
import { useMutation } from "../use-mutation.ts";
import styles from "./session-page.module.css";
import { useLive } from "./use-session.ts";

export function DeletedBar({ sessionId }: { sessionId: string }) {
  const { api, refreshSessions } = useApp();
  const isDeleted = useLive(({ session }) => session.deleted);
  const command = useMutation();
  if (!isDeleted) return null;
  const restore = () =>
    command.send(
      [sessionId, "restore"],
      (command_id) => api.updateSession(sessionId, { deleted: false, command_id }),
      refreshSessions,
    );
  return (
    <div className={styles.deleted} role="status">
      <span>This session was deleted.</span>
      <Button disabled={command.busy} onClick={restore}>
        Restore
      </Button>
      <Problem text={command.problem} />
    </div>
  );
}
