// The list that Esc Esc opens: messages to rewind to, edit or branch from, newest first.
import { useEffect, useMemo, useRef, useState, type KeyboardEvent } from "react";
import { visibleLine } from "../../kernel/text/visible-text.ts";
import type { SheetProps } from "../session/sheet-host.tsx";
import { useLive } from "../session/use-session.ts";
import { plural } from "../text/format.ts";
import { Sheet } from "../ui/sheet.tsx";
import { Time } from "../ui/time.tsx";
import form from "../ui/form.module.css";
import { isBusy } from "./exchange.ts";
import { TurnActions } from "./turn-actions.tsx";
import styles from "./turns.module.css";
import { turnsOf, type Turn } from "./turns.ts";

export function TurnsSheet({ sessionId, onClose }: SheetProps<"turns">) {
  const session = useLive((view) => view.session);
  const runs = useLive((view) => view.runs);
  const busy = useLive(isBusy);
  const turns = useMemo(
    () => turnsOf({ session, runs } as Parameters<typeof turnsOf>[0]),
    [session, runs],
  );
  const [chosen, setChosen] = useState<string | null>(null);
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => list.current?.querySelector<HTMLElement>("button")?.focus(), []);
  return (
    <Sheet title="Rewind to a message" onClose={onClose}>
      {busy && (
        <p className={form.hint} role="status">
          A run is active. Messages can be changed when it has ended.
        </p>
      )}
      {turns.length === 0 && <p>No messages yet.</p>}
      <ul ref={list} className="stack gap-s plain-list" onKeyDown={moveFocus}>
        {turns.map((turn) => (
          <li key={turn.runId} className="card">
            <TurnButton
              turn={turn}
              open={chosen === turn.runId}
              onPress={() => setChosen(chosen === turn.runId ? null : turn.runId)}
            />
            {chosen === turn.runId && (
              <TurnActions turn={turn} busy={busy} sessionId={sessionId} onClose={onClose} />
            )}
          </li>
        ))}
      </ul>
    </Sheet>
  );
}

type TurnButtonProps = { turn: Turn; open: boolean; onPress: () => void };

function TurnButton({ turn, open, onPress }: TurnButtonProps) {
  return (
    <button type="button" className={styles.said} aria-expanded={open} onClick={onPress}>
      <span className={styles.text}>{visibleLine(turn.text)}</span>
      <span className={styles.facts}>
        <Time at={turn.at} />
        <span>undoes {plural(turn.undoes, "exchange")}</span>
        {turn.files > 0 && <span>changed {plural(turn.files, "file")}</span>}
      </span>
    </button>
  );
}

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };

/** Arrow keys move through all buttons and inputs. */
function moveFocus(event: KeyboardEvent<HTMLUListElement>): void {
  const step = STEPS[event.key];
  if (step === undefined) return;
  const all = [...event.currentTarget.querySelectorAll<HTMLElement>("button, input")];
  const now = all.indexOf(document.activeElement as HTMLElement);
  event.preventDefault();
  all[Math.min(all.length - 1, Math.max(0, now + step))]?.focus();
}
