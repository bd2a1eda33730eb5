// The confirmation that "/yolo on" needs.
import { useEffect, useRef } from "react";
import { useApp } from "../app-context.ts";
import { Button } from "../ui/button.tsx";
import { Problem } from "../ui/problem.tsx";
import { useMutation } from "../use-mutation.ts";
import styles from "./composer.module.css";

/** What turning off all approvals means. */
export function YoloRisk() {
  const { status } = useApp();
  return (
    <>
      Nothing in this session will wait for you: the agent may run any command and use the network
      and files outside the workspace.
      {status?.sandbox === "none" && " There is no sandbox: commands run as you."} Only deny rules
      still apply.
    </>
  );
}

export function YoloQuestion({ sessionId, onClose }: { sessionId: string; onClose: () => void }) {
  const { api, refreshSessions } = useApp();
  const command = useMutation();
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => place.current?.querySelector<HTMLElement>("[data-safe]")?.focus(), []);
  const turnOn = () =>
    command.send(
      "yolo",
      (command_id) => api.updateSession(sessionId, { yolo: true, command_id }),
      () => {
        refreshSessions();
        onClose();
      },
    );
  return (
    // Escape says no, from wherever in it.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <div
      ref={place}
      className={styles.question}
      role="alertdialog"
      aria-labelledby="yolo-question"
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        onClose();
      }}
    >
      <p id="yolo-question">
        <YoloRisk />
      </p>
      <Problem text={command.problem} />
      <div className="flex flex-wrap gap-m">
        <Button data-safe onClick={onClose}>
          Keep asking
        </Button>
        <Button tone="danger" disabled={command.busy} onClick={turnOn}>
          Stop asking
        </Button>
      </div>
    </div>
  );
}
