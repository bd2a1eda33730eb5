// The actions for one message in the list.
import { useEffect, useRef, useState } from "react";
import { useApp } from "../app-context.ts";
import { useOpenSheet } from "../session/sheets.ts";
import { plural } from "../text/format.ts";
import { Button } from "../ui/button.tsx";
import { Problem } from "../ui/problem.tsx";
import { useMutation } from "../use-mutation.ts";
import { FilesChoice } from "./files-choice.tsx";
import type { Turn } from "./turns.ts";
import styles from "./turns.module.css";
import { useFilesSince } from "./use-files-since.ts";

type TurnActionsProps = { turn: Turn; busy: boolean; sessionId: string; onClose: () => void };

export function TurnActions({ turn, busy, sessionId, onClose }: TurnActionsProps) {
  const { api } = useApp();
  const open = useOpenSheet();
  const command = useMutation();
  const { files } = useFilesSince(turn.runId);
  const [back, setBack] = useState(false);
  const first = useRef<HTMLDivElement>(null);
  useEffect(() => first.current?.querySelector<HTMLElement>("button:enabled")?.focus(), []);
  const undo = () => {
    const request = { run_id: turn.runId, ...(back && { files: true }) };
    command.send(request, (command_id) => api.undo(sessionId, { ...request, command_id }), onClose);
  };
  return (
    <div ref={first} className={styles.actions}>
      <FilesChoice count={files.length} chosen={back} onChange={setBack} what="they" />
      <Button tone="primary" icon="back" disabled={busy || command.busy} onClick={undo}>
        Rewind to before it (undo {plural(turn.undoes, "exchange")})
      </Button>
      <Button
        icon="pencil"
        disabled={busy}
        onClick={() => open({ kind: "rerun", runId: turn.runId })}
      >
        Edit and rerun
      </Button>
      <Button icon="branch" onClick={() => open({ kind: "branch", runId: turn.runId })}>
        Branch from here
      </Button>
      <Problem text={command.problem} />
    </div>
  );
}
