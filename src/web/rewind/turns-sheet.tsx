// The list that Esc Esc opens: messages to rewind to, edit or branch from, newest first.
import { useEffect, useMemo, useRef, useState, type KeyboardEvent } from "react";
import { visibleLine } from "../../kernel/text/visible-text.ts";
import type { SheetProps } from "../session/sheet-host.tsx";
import { useLive } from "../session/use-session.ts";
import { plural } from "../text/format.ts";
import { Sheet } from "../ui/sheet.tsx";
import { Time } from "../ui/time.tsx";
import { isBusy, isExchange } from "./exchange.ts";
import styles from "./turns.module.css";
import { useApp } from "../app-context.ts";
import { useOpenSheet } from "../session/sheets.ts";
import { Button } from "../ui/button.tsx";
import { Problem } from "../ui/problem.tsx";
import { useMutation } from "../use-mutation.ts";
import { FilesChoice } from "./files-choice.tsx";
import { useFilesSince } from "./use-files-since.ts";
import type { SessionView } from "../../kernel/client/sessions/store.ts";
import { get } from "../../kernel/state/vector.ts";
import { filesOf } from "../files/run-files.ts";

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
        <p className="hint" role="status">
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
      <span className="flex flex-wrap gap-x-l hint">
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

// The actions for one message in the list.
type TurnActionsProps = { turn: Turn; busy: boolean; sessionId: string; onClose: () => void };

function TurnActions({ turn, busy, sessionId, onClose }: TurnActionsProps) {
  const { api } = useApp();
  const open = useOpenSheet();
  const command = useMutation();
  const { files } = useFilesSince(turn.runId);
  const [back, setBack] = useState(false);
  const first = useRef<HTMLDivElement>(null);
  useEffect(() => first.current?.querySelector<HTMLElement>("button:enabled")?.focus(), []);
  const undo = () => {
    const request = { run_id: turn.runId, ...(back && { files: true }) };
    command.send(request, (command_id) => api.undo(sessionId, { ...request, command_id }), onClose);
  };
  return (
    <div ref={first} className={styles.actions}>
      <FilesChoice count={files.length} chosen={back} onChange={setBack} what="they" />
      <Button tone="primary" icon="back" disabled={busy || command.busy} onClick={undo}>
        Rewind to before it (undo {plural(turn.undoes, "exchange")})
      </Button>
      <Button
        icon="pencil"
        disabled={busy}
        onClick={() => open({ kind: "rerun", runId: turn.runId })}
      >
        Edit and rerun
      </Button>
      <Button icon="branch" onClick={() => open({ kind: "branch", runId: turn.runId })}>
        Branch from here
      </Button>
      <Problem text={command.problem} />
    </div>
  );
}

// The messages that still count, newest first, and what rewinding to each would undo. Pure.
type Turn = {
  readonly runId: string;
  readonly text: string;
  readonly at: number; // unix seconds
  readonly files: number; // with this exchange changed by the agent
  readonly undoes: number; // exchanges, itself included
};

function turnsOf({ session, runs }: SessionView): readonly Turn[] {
  const turns: Turn[] = [];
  for (let at = session.runs.length - 1; at >= 0; at -= 1) {
    const summary = get(session.runs, at);
    const run = summary && runs[summary.runId];
    if (!run || summary.rewound || !isExchange(run)) continue;
    const said = get(run.items, 0);
    if (said?.kind !== "user") continue;
    const files = filesOf(runs, run.runId).length;
    turns.push({ runId: run.runId, text: said.text, at: said.at, files, undoes: turns.length + 1 });
  }
  return turns;
}
