// Branches: a new session with the same history up to here.
import { useState } from "react";
import { useApp } from "../app-context.ts";
import type { SheetProps } from "../session/sheet-host.tsx";
import { useLive } from "../session/use-session.ts";
import { plural } from "../text/format.ts";
import { firstOf } from "./exchange.ts";
import { Button } from "../ui/button.tsx";
import form from "../ui/form.module.css";
import { Problem } from "../ui/problem.tsx";
import { Sheet } from "../ui/sheet.tsx";
import { useMutation } from "../use-mutation.ts";
import { navigate } from "../use-route.ts";
import { useFilesSince } from "./use-files-since.ts";

export function BranchSheet({ runId, sessionId, onClose }: SheetProps<"branch">) {
  const { api, refreshSessions } = useApp();
  const command = useMutation();
  const said = useLive(({ runs }) => firstOf(runs[runId]));
  const { files } = useFilesSince(runId, "after");
  const [title, setTitle] = useState("");
  const [back, setBack] = useState(false);
  const go = () => {
    const request = {
      run_id: runId,
      ...(title.trim() !== "" && { title: title.trim() }),
      ...(back && { files: true }),
    };
    command.send(
      request,
      (command_id) => api.branch(sessionId, { ...request, command_id }),
      ({ session_id }) => {
        onClose();
        refreshSessions();
        if (session_id !== null) navigate({ page: "session", sessionId: session_id });
      },
    );
  };
  return (
    <Sheet title="Branch from here" onClose={onClose}>
      <form
        className="stack gap-l"
        onSubmit={(event) => {
          event.preventDefault();
          go();
        }}
      >
        {said?.kind === "user" && <p className={form.quote}>{said.text}</p>}
        <p>
          Opens a new session with the history up to and including this exchange. This session stays
          as it is.
        </p>
        <label className={form.field}>
          <span>Name (optional)</span>
          <input value={title} maxLength={500} onChange={(event) => setTitle(event.target.value)} />
        </label>
        <LaterFiles count={files.length} chosen={back} onChange={setBack} />
        <Problem text={command.problem} />
        <div className="row flex-wrap gap-m">
          <Button type="submit" tone="primary" icon="branch" disabled={command.busy}>
            Open the branch
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </form>
    </Sheet>
  );
}

type LaterFilesProps = { count: number; chosen: boolean; onChange: (chosen: boolean) => void };

function LaterFiles({ count, chosen, onChange }: LaterFilesProps) {
  if (count === 0) return null;
  return (
    <label className={form.check}>
      <input
        type="checkbox"
        checked={chosen}
        onChange={(event) => onChange(event.target.checked)}
      />
      Also roll back the {plural(count, "file")} changed after it (both sessions share the
      workspace)
    </label>
  );
}
