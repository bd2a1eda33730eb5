// Shows the result of an answer that did not just succeed.
import styles from "./requests.module.css";
import type { AnswerState } from "./use-answer.ts";

export function AnswerNote({ state }: { state: AnswerState }) {
  if (state.status !== "late" && state.status !== "failed") return null;
  return (
    <p className={styles.note} data-status={state.status} role="alert">
      {state.message} {state.status === "failed" && "Your answer was not accepted; try again."}
    </p>
  );
}
