// Compacts the conversation: the model gets a summary instead. Nothing is deleted.
import { useState } from "react";
import { useApp } from "../app-context.ts";
import { Button } from "../ui/button.tsx";
import form from "../ui/form.module.css";
import { Problem } from "../ui/problem.tsx";
import { useMutation } from "../use-mutation.ts";

export function Compress({ sessionId }: { sessionId: string }) {
  const { api } = useApp();
  const command = useMutation();
  const [focus, setFocus] = useState("");
  const [asked, setAsked] = useState(false);
  const go = () => {
    const request = focus.trim() === "" ? {} : { focus: focus.trim() };
    command.send(
      { compress: request },
      (command_id) => api.compress(sessionId, { ...request, command_id }),
      () => setAsked(true),
    );
  };
  return (
    <form
      className={form.section}
      onSubmit={(event) => {
        event.preventDefault();
        go();
      }}
    >
      <h3>Compact conversation</h3>
      <p className={form.hint}>
        The model gets a summary of the messages so far. The original stays visible here.
      </p>
      <label className={form.field}>
        <span>What the summary must keep (optional)</span>
        <input value={focus} maxLength={2_000} onChange={(event) => setFocus(event.target.value)} />
      </label>
      <Problem text={command.problem} />
      <div className="row flex-wrap gap-m">
        <Button type="submit" disabled={command.busy}>
          Compact now
        </Button>
        {asked && (
          <span className={form.hint} role="status">
            Started; see the transcript.
          </span>
        )}
      </div>
    </form>
  );
}
