// An exchange that no longer counts: one line, and all of it one press away. Nothing is hidden for good.
import { useContext } from "react";
import { select } from "../session/selection.ts";
import { useRun } from "../session/use-session.ts";
import { get } from "../../kernel/state/vector.ts";
import { visibleLine } from "../../kernel/text/visible-text.ts";
import { undoneKey, useFold } from "./folds.ts";
import styles from "./items.module.css";
import { SelectedContext } from "./selected-place.ts";

export function UndoneRun({ runId }: { runId: string }) {
  const first = useRun(runId, ({ items }) => get(items, 0));
  const isSelected = useContext(SelectedContext).some((place) => place.runId === runId);
  const [opened, setOpened] = useFold(undoneKey(runId), false);
  const isOpen = opened || isSelected;
  const said = first?.kind === "user" ? visibleLine(first.text) : "";
  const toggle = () => {
    if (isOpen && isSelected) select(null); // what is selected is never folded away
    setOpened(!isOpen);
  };
  return (
    <div>
      <button type="button" className={styles.undone} aria-expanded={isOpen} onClick={toggle}>
        Undone: {said}
      </button>
    </div>
  );
}
