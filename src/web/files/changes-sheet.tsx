// What a run did to files, all of it, and the way back.
import { useRun } from "../session/use-session.ts";
import type { SheetProps } from "../session/sheet-host.tsx";
import { isTerminal } from "../../protocol/run-status.ts";
import { plural } from "../text/format.ts";
import { Sheet } from "../ui/sheet.tsx";
import { Diff } from "./diff.tsx";
import { RollbackForm } from "./rollback-form.tsx";
import { useFilesOf } from "./run-files.ts";
import styles from "./rollback.module.css";

export function ChangesSheet({ runId, sessionId, onClose }: SheetProps<"changes">) {
  const files = useFilesOf(runId);
  const over = useRun(runId, ({ status }) => isTerminal(status)) ?? false;
  return (
    <Sheet title={`Changed ${plural(files.length, "file")}`} size="wide" onClose={onClose}>
      {over ? (
        <RollbackForm sessionId={sessionId} target={{ runId }} files={files} />
      ) : (
        <p className={styles.hint}>The run is still going on; more may change.</p>
      )}
      <Diff runId={runId} />
    </Sheet>
  );
}
