// Retry and undo, at the end of the newest exchange. Where files were changed a sheet asks about them first.
import { useApp } from "../app-context.ts";
import { useFilesOf } from "../files/run-files.ts";
import { useOpenSheet } from "../session/sheets.ts";
import { useIsPast, useSession } from "../session/use-session.ts";
import styles from "../transcript/items.module.css";
import { Button } from "../ui/button.tsx";
import { Problem } from "../ui/problem.tsx";
import { useMutation } from "../use-mutation.ts";
import { lastExchange } from "./exchange.ts";

export function LastExchangeActions({ runId }: { runId: string }) {
  const isLast = useSession((view) => lastExchange(view) === runId);
  const past = useIsPast();
  return isLast && !past ? <Actions runId={runId} /> : null;
}

function Actions({ runId }: { runId: string }) {
  const { api } = useApp();
  const open = useOpenSheet();
  const command = useMutation();
  const files = useFilesOf(runId);
  const sessionId = useSession(({ session }) => session.sessionId);
  const act = (kind: "retry" | "undo") => {
    if (files.length > 0) return open({ kind, runId });
    command.send({ kind, runId }, (command_id) => api[kind](sessionId, { command_id }));
  };
  return (
    <div className={styles.actions}>
      <Problem text={command.problem} />
      <Button tone="quiet" icon="again" disabled={command.busy} onClick={() => act("retry")}>
        Retry
      </Button>
      <Button tone="quiet" icon="back" disabled={command.busy} onClick={() => act("undo")}>
        Undo
      </Button>
    </div>
  );
}
