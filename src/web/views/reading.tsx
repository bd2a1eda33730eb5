// Shown while a session or view loads; hidden for short waits.
import { useLive } from "../session/use-session.ts";
import { useLate } from "../workspace/use-late.ts";
import styles from "./views.module.css";

export function Reading() {
  const events = useLive(({ session }) => session.seq);
  const isKnown = useLive(({ caughtUp }) => caughtUp);
  const late = useLate(true);
  if (!late) return null;
  return (
    <p className={styles.reading} role="status">
      {events === 0 ? "Waiting for the server…" : wordsFor(events.toLocaleString(), isKnown)}
    </p>
  );
}

function wordsFor(count: string, isKnown: boolean): string {
  return isKnown ? `Reading ${count} events…` : `Reading… ${count} events so far`;
}
