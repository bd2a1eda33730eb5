// Input and stop button of a running command.
import { useState, type SubmitEvent } from "react";
import { manualCalls, type ProcessName } from "../../../kernel/client/calls/manual-calls.ts";
import { useCalls } from "../../app-context.ts";
import { Button } from "../../ui/button.tsx";
import { Problem } from "../../ui/problem.tsx";
import { useMutation } from "../../use-mutation.ts";
import styles from "./processes.module.css";

export function ProcessControls({ name }: { name: ProcessName }) {
  const own = useCalls(manualCalls);
  const typing = useMutation();
  const killing = useMutation();
  const [text, setText] = useState("");
  const type = (event: SubmitEvent) => {
    event.preventDefault();
    const request = { ...name, text: `${text}\n` };
    typing.send(
      request,
      (command_id) => own.typeInto(name, { text: request.text, command_id }),
      () => setText(""),
    );
  };
  const end = () => killing.send(name, (command_id) => own.kill(name, { command_id }));
  return (
    <div className="stack gap-s p-bar line-above">
      <form className={styles.typing} onSubmit={type}>
        <input
          className="input flex-1 min-w-0"
          type="text"
          aria-label="Type into it"
          placeholder="Type into it"
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          maxLength={60_000}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <Button type="submit" disabled={typing.busy}>
          Send
        </Button>
        <Button tone="danger" disabled={killing.busy} onClick={end}>
          End it
        </Button>
      </form>
      <Problem text={typing.problem ?? killing.problem} />
    </div>
  );
}
