// An exchange that no longer counts: one line, and all of it one press away. Nothing is hidden for good.
import { useRun } from "../session/use-session.ts";
import { get } from "../../protocol/vector.ts";
import { visibleLine } from "../../protocol/visible-text.ts";
import styles from "./items.module.css";
import { useOpened } from "./opened.ts";

export function UndoneRun({ runId }: { runId: string }) {
  const first = useRun(runId, ({ items }) => get(items, 0));
  const [isOpen, toggle] = useOpened(runId);
  const said = first?.kind === "user" ? visibleLine(first.text) : "";
  return (
    <div>
      <button type="button" className={styles.undone} aria-expanded={isOpen} onClick={toggle}>
        Undone: {said}
      </button>
    </div>
  );
}
