// Everything that needs a person, across all sessions.
import { useEffect, useMemo, useRef, useState } from "react";
import { useApp } from "../app-context.ts";
import { PlainTitle, TopBar } from "../session/top-bar.tsx";
import { plural } from "../text/format.ts";
import { Button } from "../ui/button.tsx";
import { Problem } from "../ui/problem.tsx";
import { entriesOf, neighbour, type Entry } from "./entries.ts";
import { EntryDetail } from "./entry-detail.tsx";
import { EntryList } from "./entry-list.tsx";
import styles from "./inbox-page.module.css";
import { useInbox } from "./inbox-store.ts";
import { useDismiss } from "./use-dismiss.ts";
import type { Trouble } from "../../kernel/api/records/records.ts";
import { useAction } from "../keys/actions.ts";

export function InboxPage() {
  const { view, failed } = useInbox();
  const { dismissed, last, problem, dismiss, undo } = useDismiss();
  useEffect(() => {
    document.title = "Inbox · Quarterdeck";
  }, []);
  const entries = useMemo(() => (view ? entriesOf(view, dismissed) : []), [view, dismissed]);
  const { selected, select, open, setOpen } = useSelected(entries);
  const next = () => {
    const other = entries.find(({ key }) => key !== selected?.key);
    select(other?.key ?? null);
    if (!other) setOpen(false);
  };
  useInboxKeys({ entries, selected, onSelect: select, onDismiss: dismiss });
  return (
    <>
      <TopBar title={<PlainTitle text="Inbox" />} />
      <div className={styles.page} data-page="inbox" data-open={open && selected !== null}>
        <section className={styles.side} aria-label="What needs you">
          {failed && <p className="p-m muted">The server does not answer. This may be old.</p>}
          <EntryList
            entries={entries}
            selected={selected?.key ?? null}
            onSelect={(key) => {
              select(key);
              setOpen(true);
            }}
          />
          {view && entries.length === 0 && <Nothing />}
          {!view && !failed && <p className="p-m muted appear">Loading…</p>}
          {view?.truncated && <p className="p-m muted">There is more; this is the newest.</p>}
          <Problem text={problem} />
        </section>
        <Detail
          selected={selected}
          entries={entries}
          onBack={() => setOpen(false)}
          onNext={next}
          onDismiss={dismiss}
        />
        <div className={styles.undo} role="status" data-status={last ? "open" : "closed"}>
          {last && (
            <>
              <span>Dismissed.</span> <Button onClick={undo}>Undo</Button>
            </>
          )}
        </div>
      </div>
    </>
  );
}

type DetailProps = {
  selected: Entry | null;
  entries: readonly Entry[];
  onBack: () => void;
  onNext: () => void;
  onDismiss: Parameters<typeof EntryDetail>[0]["onDismiss"];
};

function Detail({ selected, entries, onBack, ...doings }: DetailProps) {
  const others = entries.filter(({ key }) => key !== selected?.key).length;
  return (
    <section className={styles.detail} aria-label="Selected">
      <div className={styles.back}>
        <Button tone="quiet" icon="back" onClick={onBack}>
          Inbox ({entries.length})
        </Button>
      </div>
      {selected && <EntryDetail key={selected.key} entry={selected} waiting={others} {...doings} />}
    </section>
  );
}

function Nothing() {
  const { sessions } = useApp();
  const running = sessions?.filter(({ active_status }) => active_status !== null).length ?? 0;
  return (
    <p className="p-m muted">
      You’re all caught up.
      {running > 0 && ` ${plural(running, "session is", "sessions are")} running.`}
    </p>
  );
}

/**
 * The selected entry stays after it is answered, so that the result can be seen. `open`: phones show the entry
 * instead of the list.
 */
function useSelected(entries: readonly Entry[]) {
  const [entry, setEntry] = useState<Entry | null>(null);
  const [open, setOpen] = useState(false);
  const before = useRef(entries);
  const now = entries.find(({ key }) => key === entry?.key);
  const selected = now ?? (entry?.kind === "request" ? entry : null) ?? entries[0] ?? null;
  useEffect(() => {
    if (!now && entry?.kind === "trouble") {
      const next = neighbour(before.current, entries, entry.key);
      // oxlint-disable-next-line react/set-state-in-effect -- it has gone
      setEntry(entries.find(({ key }) => key === next) ?? null);
      if (next === null) setOpen(false); // should it come back, it comes back to the list
    } else if (!entry && entries[0]) {
      setEntry(entries[0]);
    }
    before.current = entries;
  }, [entries, entry, now]);
  const select = (key: string | null) =>
    setEntry(entries.find((known) => known.key === key) ?? null);
  return { selected, select, open, setOpen };
}

// Keys of the inbox: next, previous, dismiss.
type InboxKeys = {
  entries: readonly Entry[];
  selected: Entry | null;
  onSelect: (key: string) => void;
  onDismiss: (trouble: Trouble) => void;
};

function useInboxKeys({ entries, selected, onSelect, onDismiss }: InboxKeys): void {
  const go = (step: 1 | -1) => {
    const at = entries.findIndex(({ key }) => key === selected?.key);
    const next = entries[at < 0 ? 0 : Math.max(0, Math.min(entries.length - 1, at + step))];
    if (!next) return;
    onSelect(next.key);
    document.querySelector<HTMLElement>(`[data-entry="${CSS.escape(next.key)}"]`)?.focus();
  };
  const none = entries.length === 0 ? "You’re all caught up." : null;
  useAction({
    id: "inbox.next",
    title: "Next in the inbox",
    section: "Go to",
    keys: ["j"],
    unavailable: none,
    run: () => go(1),
  });
  useAction({
    id: "inbox.previous",
    title: "Previous in the inbox",
    section: "Go to",
    keys: ["k"],
    unavailable: none,
    run: () => go(-1),
  });
  useAction({
    id: "inbox.dismiss",
    title: "Dismiss",
    section: "Run",
    keys: ["e"],
    unavailable: selected?.kind === "trouble" ? null : "Only what has ended can be dismissed.",
    run: () => {
      if (selected?.kind === "trouble") onDismiss(selected.trouble);
    },
  });
}
