// The file changes of a run, and their rollback.
import { useRun } from "../session/use-session.ts";
import type { SheetProps } from "../session/sheet-host.tsx";
import { isTerminal } from "../../kernel/state/run/status.ts";
import { plural } from "../text/format.ts";
import { Sheet } from "../ui/sheet.tsx";
import { Diff } from "./diff.tsx";
import { RollbackForm } from "./rollback/form.tsx";
import { useFilesOf } from "./run-files.ts";

export function ChangesSheet({ runId, sessionId, onClose }: SheetProps<"changes">) {
  const files = useFilesOf(runId);
  const over = useRun(runId, ({ status }) => isTerminal(status)) ?? false;
  return (
    <Sheet title={`Changed ${plural(files.length, "file")}`} size="wide" onClose={onClose}>
      <RollbackForm sessionId={sessionId} target={{ runId }} files={files} over={over} />
      <Diff runId={runId} />
    </Sheet>
  );
}
