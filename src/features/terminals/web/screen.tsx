// One terminal: its screen, its state, and the keys that phones lack.
import { useEffect, useRef, useState } from "react";
import type { TerminalEnd, TerminalGone } from "../client/link.ts";
import type { TerminalView } from "../records.ts";
import { recall, remember } from "../../../web/storage.ts";
import { Badge } from "../../../web/ui/badge.tsx";
import { Button } from "../../../web/ui/button.tsx";
import { SANDBOX } from "./labels.ts";
import styles from "./terminal.module.css";
import {
  NOTHING_YET,
  openTerminalWindow,
  type TerminalShown,
  type TerminalWindow,
} from "./window.ts";
import { visibleLine } from "../../../kernel/text/visible-text.ts";
import { CopyButton } from "../../../web/ui/copy-button.tsx";

type Props = {
  readonly terminal: TerminalView;
  /** A person opened it here, so it takes the focus. */
  readonly asked: boolean;
  readonly onTitle: (title: string) => void;
  /** The server no longer has it. */
  readonly onGone: () => void;
};
const READERS = "quarterdeck.terminal-readers";

export function TerminalScreen({ terminal, asked, onTitle, onGone }: Props) {
  const id = terminal.terminal_id;
  const { box, shown, opened, answered } = useTerminalWindow(id, { asked, onTitle, onGone });
  return (
    <>
      <div
        ref={box}
        className={styles.screen}
        data-terminal={id}
        data-link={shown.link}
        data-over={shown.exit || shown.gone ? "" : undefined}
      />
      <LinkQuestion address={shown.asked} done={answered} />
      <PhoneKeys type={(text) => opened?.type(text)} />
      <div className="row flex-wrap gap-words target p-tab line-above">
        <Standing shown={shown} />
        {shown.elsewhere && (
          <Button tone="quiet" onClick={() => opened?.lead()}>
            Fit this window
          </Button>
        )}
        <ForReaders opened={opened} />
        <span className="hint" title={SANDBOX[terminal.sandbox]}>
          {terminal.sandbox === "none" ? "Your rights, no sandbox" : "In the sandbox"}
        </span>
      </div>
    </>
  );
}

function useTerminalWindow(id: string, events: Omit<Props, "terminal">) {
  const box = useRef<HTMLDivElement>(null);
  const [shown, setShown] = useState<TerminalShown>(NOTHING_YET);
  const [opened, setOpened] = useState<TerminalWindow | null>(null);
  const emitted = useRef(events);
  useEffect(() => {
    emitted.current = events;
  });
  useEffect(() => {
    if (!box.current) return undefined;
    const window = openTerminalWindow(box.current, {
      terminalId: id,
      forReaders: recall(READERS) === "on",
      onChange(change) {
        setShown((before) => ({ ...before, ...change }));
        if (change.title !== undefined) emitted.current.onTitle(change.title);
        if (change.gone) emitted.current.onGone();
      },
    });
    const fromAddress = !emitted.current.asked && document.activeElement === document.body;
    if (!fromAddress) window.focus();
    setOpened(window);
    return () => window.close();
  }, [id]);
  return { box, shown, opened, answered: () => setShown((now) => ({ ...now, asked: null })) };
}

function ForReaders({ opened }: { opened: TerminalWindow | null }) {
  const [on, setOn] = useState(() => recall(READERS) === "on");
  const choose = (wanted: boolean) => {
    setOn(wanted);
    remember(READERS, wanted ? "on" : null);
    opened?.readForReaders(wanted);
  };
  return (
    <label className="inline-flex items-center target gap-6 small">
      <input type="checkbox" checked={on} onChange={(event) => choose(event.target.checked)} />
      For screen readers
    </label>
  );
}

function Standing({ shown: { link, exit, gone, problem } }: { shown: TerminalShown }) {
  return (
    <span role="status" aria-label="Terminal" className="row flex-wrap gap-m flex-1">
      {gone ? (
        <Badge tone="bad" status="gone">
          {describeGone(gone)}
        </Badge>
      ) : exit ? (
        <Badge tone={exit.exit_code === 0 ? "neutral" : "warning"} status="ended">
          {describeExit(exit)}
        </Badge>
      ) : link === "connecting" ? (
        <Badge tone="warning" status="connecting" dot>
          Connecting
        </Badge>
      ) : (
        <Badge tone="good" status="open" dot>
          Open
        </Badge>
      )}
      {problem}
    </span>
  );
}

const CLOSED = {
  person: "Closed",
  idle: "Closed, because nobody used it",
  server: "Ended with the server",
} as const;

function describeGone(gone: TerminalGone): string {
  if (gone.why === "closed") return CLOSED[gone.reason];
  return gone.code === "not_found" ? "No longer there" : gone.message;
}

function describeExit({ exit_code, signal, limit, lost }: TerminalEnd): string {
  if (lost) return "Lost: its host died";
  if (limit !== null)
    return `Stopped: too ${limit === "memory" ? "much memory" : "many processes"}`;
  return signal === null ? `Exited ${exit_code ?? ""}` : `Ended by ${signal}`;
}

const KEYS: readonly (readonly [label: string, name: string, text: string])[] = [
  ["Esc", "Esc", "\u001b"],
  ["Tab", "Tab", "\t"],
  ["^C", "Control C", "\u0003"],
  ["^D", "Control D", "\u0004"],
  ["↑", "Up", "\u001b[A"],
  ["↓", "Down", "\u001b[B"],
  ["←", "Left", "\u001b[D"],
  ["→", "Right", "\u001b[C"],
];

function PhoneKeys({ type }: { type: (text: string) => void }) {
  return (
    <div className={styles.keys} role="group" aria-label="Keys">
      {KEYS.map(([label, name, text]) => (
        <button
          key={name}
          type="button"
          aria-label={name}
          onPointerDown={(event) => event.preventDefault()} // the keyboard stays open
          onClick={() => type(text)}
        >
          {label}
        </button>
      ))}
    </div>
  );
}

// Asks before opening a link, and shows its real target: a program may print any text for it.
function LinkQuestion({ address, done }: { address: string | null; done: () => void }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (address !== null) box.current?.focus();
  }, [address]);
  if (address === null) return null;
  const leads = webAddress(address);
  return (
    <div ref={box} tabIndex={-1} className={styles.link} role="group" aria-label="Open the link?">
      <code>{visibleLine(leads ?? address)}</code>
      {leads === null ? (
        <span className="hint">Only web addresses are opened from here.</span>
      ) : (
        <Button
          onClick={() => {
            window.open(leads, "_blank", "noopener,noreferrer");
            done();
          }}
        >
          Open
        </Button>
      )}
      <CopyButton text={leads ?? address} what="the address" />
      <Button tone="quiet" onClick={done}>
        Not now
      </Button>
    </div>
  );
}

function webAddress(address: string): string | null {
  if (!URL.canParse(address)) return null;
  const { protocol, href } = new URL(address);
  return protocol === "https:" || protocol === "http:" ? href : null;
}
