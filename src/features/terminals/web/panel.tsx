// The terminals of a session, one tab each. They live in the server: they survive a reload and end with the
// server.
import { useState } from "react";
import type { TerminalsView, TerminalView } from "../records.ts";
import { visibleLine } from "../../../kernel/text/visible-text.ts";
import { useSource } from "../../../web/session/use-session.ts";
import { Button, IconButton } from "../../../web/ui/button.tsx";
import { Problem } from "../../../web/ui/problem.tsx";
import { Reading } from "../../../web/views/reading.tsx";
import type { Vanished } from "./known-terminals.ts";
import { TerminalScreen } from "./screen.tsx";
import { SANDBOX } from "./labels.ts";
import styles from "./terminal.module.css";
import { useTerminals } from "./use-terminals.ts";

export function TerminalPanel() {
  const { sessionId } = useSource();
  return <Terminals key={sessionId} sessionId={sessionId} />;
}

function Terminals({ sessionId }: { sessionId: string }) {
  const { view, vanished, problem, busy, ...act } = useTerminals(sessionId);
  const [chosen, setChosen] = useState<string | null>(null);
  const [asked, setAsked] = useState(false); // for a new one: whoever did wants to type into it
  const [titles, setTitles] = useState<Readonly<Record<string, string>>>({});
  if (!view) return problem === null ? <Reading /> : <Problem text={problem} />;
  const shown =
    view.terminals.find(({ terminal_id }) => terminal_id === chosen) ?? view.terminals.at(-1);
  const open = async () => {
    setAsked(true);
    setChosen((await act.open())?.terminal_id ?? chosen);
  };
  return (
    <div className="stack fill">
      <VanishedNote vanished={vanished} />
      <Problem text={problem} />
      {shown && (
        <>
          <Tabs
            {...{ titles, busy, open }}
            terminals={view.terminals}
            shown={shown.terminal_id}
            choose={setChosen}
            close={act.close}
          />
          <TerminalScreen
            key={shown.terminal_id}
            terminal={shown}
            asked={asked}
            onGone={act.readAgain}
            onTitle={(title) => setTitles((known) => ({ ...known, [shown.terminal_id]: title }))}
          />
        </>
      )}
      {!shown && <Empty {...{ view, busy, open }} />}
    </div>
  );
}

const WHY: Record<Vanished["why"], (one: boolean) => string> = {
  server: (one) =>
    `The server was restarted, and ${one ? "the terminal" : "the terminals"} ended with it: ` +
    `what ran in ${one ? "it" : "them"} was stopped.`,
  closed: (one) => `${one ? "A terminal was" : "Terminals were"} closed meanwhile.`,
};

function VanishedNote({ vanished }: { vanished: Vanished | null }) {
  if (!vanished) return null;
  return (
    <p className={styles.note} role="status" data-vanished={vanished.why}>
      {WHY[vanished.why](vanished.count === 1)}
    </p>
  );
}

type EmptyProps = { view: TerminalsView; busy: boolean; open: () => Promise<void> };

function Empty({ view, busy, open }: EmptyProps) {
  return (
    <div className="stack items-start gap-l p-xl">
      <p>
        {view.available
          ? "A shell of your own in this session's workspace. What you do in it is not part of the run."
          : `No terminals here. ${view.why_not ?? ""}`}
      </p>
      {view.available && (
        <>
          <p className="hint">{SANDBOX[view.sandbox]}</p>
          <Button tone="primary" icon="plus" disabled={busy} onClick={() => void open()}>
            New terminal
          </Button>
        </>
      )}
    </div>
  );
}

type TabsProps = {
  readonly terminals: readonly TerminalView[];
  readonly shown: string;
  readonly titles: Readonly<Record<string, string>>;
  readonly busy: boolean;
  readonly choose: (terminalId: string) => void;
  readonly open: () => Promise<void>;
  readonly close: (terminalId: string) => Promise<unknown>;
};

function Tabs({ terminals, shown, titles, busy, choose, open, close }: TabsProps) {
  return (
    <div className="row gap-s p-item">
      <div className={styles.names} role="group" aria-label="Terminals">
        {terminals.map(({ terminal_id, shell }, index) => (
          <button
            key={terminal_id}
            type="button"
            aria-pressed={terminal_id === shown}
            onClick={() => choose(terminal_id)}
          >
            {index + 1}. {titles[terminal_id] || visibleLine(shell.split("/").at(-1) ?? shell)}
          </button>
        ))}
      </div>
      <IconButton icon="plus" label="New terminal" disabled={busy} onClick={() => void open()} />
      <IconButton
        icon="trash"
        label="Close this terminal and end what runs in it"
        disabled={busy}
        onClick={() => void close(shown)}
      />
    </div>
  );
}
