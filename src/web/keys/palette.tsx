// The palette: actions, sessions, files, and messages.
import { useEffect, useId, useMemo, useRef, useState, type KeyboardEvent } from "react";
import styles from "./keys.module.css";
import { Keys } from "./keys.tsx";
import { useFoundFiles } from "./found-files.ts";
import { Marked } from "../search-results/marked.tsx";
import { Icon } from "../ui/icon.tsx";
import type { Action } from "./actions.ts";
import { sectionsOf, type Entry, type EntrySection } from "./palette-entries.ts";
import { useApp } from "../app-context.ts";
import { isComposing } from "./composing.ts";
import type { SearchHit } from "../../kernel/api/records/search.ts";
import { useQuery } from "../use-query.ts";

type PaletteProps = { actions: readonly Action[]; onClose: () => void };

export function Palette({ actions, onClose }: PaletteProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const list = useId();
  const { query, find, sections, chosen, entry, move } = useFound(actions);
  useEffect(() => dialog.current?.showModal(), []);
  useEffect(() => {
    document.getElementById(`${list}-${chosen}`)?.scrollIntoView({ block: "nearest" });
  }, [list, chosen]);

  const carryOut = (wanted: Entry | undefined) => {
    if (!wanted || wanted.unavailable) return;
    dialog.current?.close(); // while it is open nothing behind it can take the focus
    onClose();
    wanted.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (isComposing(event.nativeEvent) || (step === undefined && event.key !== "Enter")) return;
    event.preventDefault();
    if (step === undefined) carryOut(entry);
    else move(step);
  };
  return (
    // A press on what is around the box closes it; Escape does the same by keyboard.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions, jsx-a11y/click-events-have-key-events
    <dialog
      ref={dialog}
      className={styles.palette}
      aria-label="Command palette"
      onClose={onClose}
      onClick={(event) => {
        if (event.target === dialog.current) onClose();
      }}
    >
      <input
        className={styles.field}
        role="combobox"
        aria-label="What to do or where to go"
        aria-expanded="true"
        aria-controls={list}
        aria-activedescendant={entry && `${list}-${chosen}`}
        placeholder="Search or run a command…"
        autoComplete="off"
        spellCheck={false}
        value={query}
        onChange={(event) => find(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <Found id={list} sections={sections} chosen={chosen} onPress={carryOut} />
    </dialog>
  );
}

/** By id, because its index changes with the results. */
type Chosen = { readonly index: number; readonly id: string | null };
const FIRST: Chosen = { index: 0, id: null };

function useFound(actions: readonly Action[]) {
  const { sessions } = useApp();
  const [query, setQuery] = useState("");
  const [at, setAt] = useState<Chosen>(FIRST);
  const files = useFoundFiles(query);
  const hits = useFoundHits(query);
  const sections = useMemo(
    () => sectionsOf({ query, actions, sessions: sessions ?? [], files, hits }),
    [query, actions, sessions, files, hits],
  );
  const entries = sections.flatMap((section) => section.entries);
  const found = entries.findIndex(({ id }) => id === at.id); // more may have come before it
  const chosen = found >= 0 ? found : Math.max(0, Math.min(at.index, entries.length - 1));
  return {
    query,
    sections,
    chosen,
    entry: entries[chosen],
    find: (wanted: string) => {
      setQuery(wanted);
      setAt(FIRST);
    },
    move: (step: number) => {
      const index = (chosen + step + entries.length) % Math.max(1, entries.length);
      setAt({ index, id: entries[index]?.id ?? null });
    },
  };
}

type FoundProps = {
  id: string;
  sections: readonly EntrySection[];
  chosen: number;
  onPress: (entry: Entry) => void;
};

function Found({ id, sections, chosen, onPress }: FoundProps) {
  return (
    <>
      <div id={id} className={styles.list} role="listbox" aria-label="Found">
        {sections.map(({ title, entries, from }) => (
          <div key={title} role="group" aria-label={title}>
            <div className={styles.group} aria-hidden="true">
              {title}
            </div>
            {entries.map((entry, index) => (
              <Option
                key={entry.id}
                id={`${id}-${from + index}`}
                entry={entry}
                chosen={from + index === chosen}
                onPress={() => onPress(entry)}
              />
            ))}
          </div>
        ))}
      </div>
      {sections.length === 0 && <p className="p-xl muted">No results</p>}
    </>
  );
}

type OptionProps = { id: string; entry: Entry; chosen: boolean; onPress: () => void };

function Option({ id, entry, chosen, onPress }: OptionProps) {
  return (
    // The field keeps the focus and names the chosen option; keys act there.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus
    <div
      id={id}
      role="option"
      className={styles.option}
      aria-selected={chosen}
      aria-disabled={Boolean(entry.unavailable)}
      onClick={onPress}
    >
      {entry.icon && <Icon name={entry.icon} />}
      <span className="flex-1 min-w-0 ellipsis">
        {entry.hit ? <Marked hit={entry.hit} /> : entry.title}
      </span>
      {entry.detail && <span className={styles.detail}>{entry.detail}</span>}
      {entry.keys && <Keys keys={entry.keys} />}
    </div>
  );
}

// Searches messages while somebody types into the palette.
const NONE: readonly SearchHit[] = [];
const PAUSE_MS = 150;
const MIN = 3; // with fewer letters everything is found
const MAX = 6;

/** Empty on failure: actions, sessions and files are still found. */
function useFoundHits(query: string): readonly SearchHit[] {
  const { api } = useApp();
  const q = query.trim().slice(0, 1_000);
  const { value } = useQuery(
    q.length < MIN ? null : [q],
    (signal) => api.search({ q, limit: MAX }, signal),
    { delayMs: PAUSE_MS },
  );
  return value?.hits ?? NONE;
}
