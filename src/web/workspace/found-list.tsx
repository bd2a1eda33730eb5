// Results: files by name, then lines by file. Arrow keys move through all.
import type { KeyboardEvent } from "react";
import type { FindView, FoundLine } from "../../kernel/api/records/records.ts";
import { visibleText } from "../../kernel/text/visible-text.ts";
import { plural } from "../text/format.ts";
import { Icon } from "../ui/icon.tsx";
import { Problem } from "../ui/problem.tsx";
import type { Query } from "../use-query.ts";
import { folderOf, nameOf, openFile, visiblePath } from "./open-file.ts";
import { useLate } from "./use-late.ts";
import styles from "./find.module.css";

const SHOWN_NAMES = 20;

type FoundListProps = { finding: Query<FindView>; words: string; onOpen: () => void };

export function FoundList({
  finding: { value: view, problem, busy },
  words,
  onOpen,
}: FoundListProps) {
  const isLate = useLate(busy);
  const open = (path: string, line?: number) => {
    onOpen();
    openFile(path, line);
  };
  if (problem !== null) return <Problem text={problem} />;
  const count = (view?.names.length ?? 0) + (view?.hits.length ?? 0);
  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- what is in it is pressed
    <div className={styles.found} data-busy={busy || undefined} onKeyDown={moveFocus}>
      <p className={styles.count} role="status">
        {isLate
          ? "Searching…"
          : view && !busy
            ? summary(view.names.length, view.hits.length, view.hits_truncated)
            : ""}
      </p>
      {view && view.names.length > 0 && (
        <ul className="plain-list" aria-label="Files by name">
          {view.names.slice(0, SHOWN_NAMES).map(({ path, kind }) => (
            <li key={path}>
              <button
                type="button"
                data-found
                className={styles.name}
                disabled={kind === "folder"}
                onClick={() => open(path)}
              >
                <Icon name={kind === "folder" ? "folder" : "file"} />
                <span>{visiblePath(nameOf(path))}</span>
                {folderOf(path) !== "." && <small>{visiblePath(folderOf(path))}</small>}
              </button>
            </li>
          ))}
          {view.names.length > SHOWN_NAMES && (
            <li className="p-tab hint">and {view.names.length - SHOWN_NAMES} more names</li>
          )}
        </ul>
      )}
      {view &&
        byFile(view.hits).map(([path, hits]) => (
          <FoundFile key={path} path={path} hits={hits} words={words} onOpen={open} />
        ))}
      {view && count === 0 && !busy && <p className="p-tab hint">No results.</p>}
    </div>
  );
}

type FoundFileProps = {
  path: string;
  hits: readonly FoundLine[];
  words: string;
  onOpen: (path: string, line: number) => void;
};

function FoundFile({ path, hits, words, onOpen }: FoundFileProps) {
  return (
    <section className={styles.file} aria-label={visiblePath(path)}>
      <h2 title={visiblePath(path)}>{visiblePath(path)}</h2>
      <ul className="plain-list">
        {hits.map(({ line, text }) => (
          <li key={line}>
            <button
              type="button"
              data-found
              className={styles.hit}
              onClick={() => onOpen(path, line)}
            >
              <span className={styles.line}>
                <span className="visually-hidden">Line </span>
                {line}
              </span>
              <code>
                <Marked text={text.trimStart()} words={words} />
              </code>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

const BEFORE = 24; // characters of the line before what was found: it should be seen without scrolling

/** Marks the matches; a regular expression marks nothing. */
function Marked({ text, words }: { text: string; words: string }) {
  const at = words === "" ? -1 : text.toLowerCase().indexOf(words.toLowerCase());
  if (at < 0) return visibleText(text);
  const from = at > BEFORE * 1.5 ? at - BEFORE : 0;
  return (
    <>
      {from > 0 && "…"}
      {visibleText(text.slice(from, at))}
      <mark>{visibleText(text.slice(at, at + words.length))}</mark>
      {visibleText(text.slice(at + words.length))}
    </>
  );
}

function summary(names: number, hits: number, more: boolean): string {
  return `${plural(names, "file")} by name, ${more ? "over " : ""}${plural(hits, "line")}`;
}

function byFile(hits: readonly FoundLine[]): [string, FoundLine[]][] {
  const files = new Map<string, FoundLine[]>();
  for (const hit of hits) files.set(hit.path, [...(files.get(hit.path) ?? []), hit]);
  return [...files];
}

function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined) return;
  event.preventDefault();
  const all = [...event.currentTarget.querySelectorAll<HTMLElement>("[data-found]:not(:disabled)")];
  const next = all[all.indexOf(document.activeElement as HTMLElement) + step];
  if (next) next.focus();
  else if (step < 0) document.querySelector<HTMLElement>('[aria-label="Find in files"]')?.focus();
}
