// Edits a message and reruns from it. Everything after it is undone; the text stays until the server has
// accepted it.
import { useState } from "react";
import { useApp } from "../app-context.ts";
import { useFilesSince } from "./use-files-since.ts";
import type { SheetProps } from "../session/sheet-host.tsx";
import { useLive } from "../session/use-session.ts";
import { firstOf } from "./exchange.ts";
import { Button } from "../ui/button.tsx";
import form from "../ui/form.module.css";
import { Problem } from "../ui/problem.tsx";
import { Sheet } from "../ui/sheet.tsx";
import { useMutation } from "../use-mutation.ts";
import { FilesChoice } from "./files-choice.tsx";

export function RerunSheet({ runId, onClose }: SheetProps<"rerun">) {
  const { api } = useApp();
  const command = useMutation();
  const said = useLive(({ runs }) => firstOf(runs[runId]));
  const [text, setText] = useState(said?.kind === "user" ? said.text : "");
  const { files, later } = useFilesSince(runId);
  const [back, setBack] = useState(false);
  const message = text.trim();
  const go = () => {
    const request = { message, ...(back && { files: true }) };
    command.send(
      { runId, ...request },
      (message_id) => api.rerun(runId, { ...request, message_id }),
      onClose,
    );
  };
  return (
    <Sheet title="Edit and rerun" onClose={onClose}>
      <form
        className="stack gap-l"
        onSubmit={(event) => {
          event.preventDefault();
          if (message !== "") go();
        }}
      >
        <label className={form.field}>
          <span>Your message</span>
          <textarea rows={4} value={text} onChange={(event) => setText(event.target.value)} />
        </label>
        <p className={form.hint}>
          This exchange{later > 0 && ` and the ${later} after it`} will no longer be part of the
          conversation. It stays visible, marked as undone.
        </p>
        <FilesChoice count={files.length} chosen={back} onChange={setBack} />
        <Problem text={command.problem} />
        <div className="row flex-wrap gap-m">
          <Button type="submit" tone="primary" disabled={command.busy || message === ""}>
            Rerun
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </form>
    </Sheet>
  );
}
