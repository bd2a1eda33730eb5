// Undo or retry of an exchange that changed files, with or without rolling them back.
import { useState } from "react";
import { useFilesOf } from "../files/run-files.ts";
import { useApp } from "../app-context.ts";
import type { SheetProps } from "../session/sheet-host.tsx";
import { useLive } from "../session/use-session.ts";
import { firstOf } from "./exchange.ts";
import { Button } from "../ui/button.tsx";
import form from "../ui/form.module.css";
import { Problem } from "../ui/problem.tsx";
import { Sheet } from "../ui/sheet.tsx";
import { useMutation } from "../use-mutation.ts";
import { FilesChoice } from "./files-choice.tsx";

const WORDS = {
  undo: {
    title: "Undo",
    button: "Undo",
    meaning: "The agent will forget this exchange. It stays visible here, marked as undone.",
  },
  retry: {
    title: "Retry",
    button: "Retry",
    meaning: "Sends the same message again. The first answer stays visible, marked as undone.",
  },
} as const;

export function RewindSheet({ kind, runId, sessionId, onClose }: SheetProps<"undo" | "retry">) {
  const { api } = useApp();
  const command = useMutation();
  const files = useFilesOf(runId);
  const [back, setBack] = useState(false);
  const said = useLive(({ runs }) => firstOf(runs[runId]));
  const { title, button, meaning } = WORDS[kind];
  const go = () => {
    const request = back ? { files: true } : {};
    command.send(
      { kind, ...request },
      (command_id) => api[kind](sessionId, { ...request, command_id }),
      onClose,
    );
  };
  return (
    <Sheet title={title} onClose={onClose}>
      <div className="stack gap-l">
        {said?.kind === "user" && <p className={form.quote}>{said.text}</p>}
        <p>{meaning}</p>
        <FilesChoice count={files.length} chosen={back} onChange={setBack} />
        <Problem text={command.problem} />
        <div className="row flex-wrap gap-m">
          <Button tone="primary" disabled={command.busy} onClick={go}>
            {button}
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </div>
    </Sheet>
  );
}
