// The sidebar's session part: search, list or results, row menu, undo of a delete.
import {
  useCallback,
  useMemo,
  useState,
  type RefObject,
  useEffect,
  useRef,
  type KeyboardEvent,
} from "react";
import type { SessionRecord } from "../../../kernel/client/records.ts";
import type { ProjectRecord } from "../../../kernel/api/records/records.ts";
import type { HitKind } from "../../../kernel/api/records/search.ts";
import { Exporting } from "../../../features/share/web/export-action.tsx";
import { useApp } from "../../app-context.ts";
import { recall, remember } from "../../storage.ts";
import { Problem } from "../../ui/problem.tsx";
import { useNow } from "../../ui/use-now.ts";
import { useQuery } from "../../use-query.ts";
import type { Route } from "../../use-route.ts";
import { RowMenu } from "../row-menu.tsx";
import { SearchResults } from "../search-results.tsx";
import { isUnread, useSeen } from "../seen.ts";
import { listRows, titleHas } from "./list.ts";
import { SessionRows, type RowsState } from "./rows.tsx";
import styles from "../sidebar.module.css";
import { useMarkSeen } from "../use-mark-seen.ts";
import { useSearch } from "../use-search.ts";
import { useSessionDoings, type Deleted } from "../use-session-doings.ts";
import { useSessionKeys } from "../use-session-keys.ts";
import { useSessionPages } from "../use-session-pages.ts";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { isComposing } from "../../keys/composing.ts";

type SessionPaneProps = {
  route: Route;
  field: RefObject<HTMLInputElement>;
  onOpen: () => void;
  onToggle: () => void;
  onSearch: () => void;
};
type Menu = { readonly session: SessionRecord; readonly anchor: Element };
type Open = { readonly menu: Menu | null; readonly exporting: string | null };

function useOpen() {
  const [open, setOpen] = useState<Open>({ menu: null, exporting: null });
  const change = (to: Partial<Open>) => setOpen((before) => ({ ...before, ...to }));
  return { ...open, change };
}

export function SessionPane({ route, field, onOpen, onToggle, onSearch }: SessionPaneProps) {
  const { sessions, loadMore, changed } = useSessionPages();
  const current = route.page === "session" ? route.sessionId : null;
  const { itemsFor, rename, renaming, deleted, restore, problem } = useSessionDoings(
    route,
    changed,
  );
  const open = useOpen();
  const { menu, change } = open;
  const [text, setText] = useState("");
  const words = text.trim();
  const [kind, setKind] = useState<HitKind | null>(null);
  const seen = useSeen();
  const { folded, fold } = useFolded();
  useMarkSeen(sessions, current);

  const unread = useCallback((session: SessionRecord) => isUnread(seen, session), [seen]);
  const wants = useCallback(
    (session: SessionRecord) => session.pending > 0 || isUnread(seen, session),
    [seen],
  );
  const rows = useRows(sessions, { current, folded, wants });
  const { search, more } = useSearch({ words, kind });
  const doings = {
    onOpen,
    onFold: fold,
    onMenu: (session: SessionRecord, anchor: Element) => change({ menu: { session, anchor } }),
    onRename: rename,
  };
  const state: RowsState = { current, isUnread: unread, renaming, doings };
  useSessionKeys({ rows, current, wants, onSearch, onToggle });
  return (
    <div className={styles.pane}>
      <SearchBox field={field} text={text} onChange={setText} />
      {words === "" ? (
        <SessionRows rows={rows} onEnd={loadMore} {...state} />
      ) : (
        <SearchResults
          words={words}
          sessions={(sessions ?? []).filter(({ title }) => titleHas(title, words))}
          rows={state}
          search={search}
          kind={kind}
          onKind={setKind}
          onMore={more}
        />
      )}
      {words === "" && <Nothing sessions={sessions} />}
      <Problem text={problem} />
      <Undo deleted={deleted} onUndo={restore} />
      {menu && (
        <RowMenu
          {...menu}
          items={itemsFor(menu.session, () => change({ exporting: menu.session.session_id }))}
          onClose={() => change({ menu: null })}
        />
      )}
      <Exporting sessionId={open.exporting} onClose={() => change({ exporting: null })} />
    </div>
  );
}

type RowsOptions = {
  current: string | null;
  folded: ReadonlySet<string>;
  wants: (session: SessionRecord) => boolean;
};

function useRows(sessions: readonly SessionRecord[] | null, options: RowsOptions) {
  const { current, folded, wants } = options;
  const projects = useProjects();
  const now = useNow(60_000);
  return useMemo(
    () =>
      listRows(sessions ?? [], {
        now,
        projects,
        folded,
        keep: (session) => wants(session) || session.session_id === current,
      }),
    [sessions, now, projects, folded, wants, current],
  );
}

const NONE: readonly ProjectRecord[] = [];

/** Without projects, sessions are grouped by day. */
function useProjects(): readonly ProjectRecord[] {
  const { api } = useApp();
  return useQuery(["projects"], api.projects).value ?? NONE;
}

const FOLDED = "quarterdeck.folded";

function useFolded() {
  const [folded, setFolded] = useState<ReadonlySet<string>>(
    () => new Set(recall(FOLDED)?.split(" ") ?? []),
  );
  const fold = useCallback((sessionId: string) => {
    setFolded((before) => {
      const next = new Set(before);
      if (!next.delete(sessionId)) next.add(sessionId);
      remember(FOLDED, [...next].slice(-500).join(" "));
      return next;
    });
  }, []);
  return { folded, fold };
}

function Nothing({ sessions }: { sessions: readonly SessionRecord[] | null }) {
  if (sessions === null) return <p className={styles.late}>Loading…</p>;
  if (sessions.length > 0) return null;
  return <p className={styles.empty}>Your sessions will be listed here.</p>;
}

// Undo of a delete. It takes the focus that the deleted row had.
function Undo({ deleted, onUndo }: { deleted: Deleted | null; onUndo: () => void }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const pane = box.current?.parentElement;
    if (!deleted || !pane) return;
    if (isLost(pane)) box.current?.querySelector("button")?.focus();
    return () => {
      if (isLost(pane) && pane.isConnected) focusRow(pane);
    };
  }, [deleted]);
  return (
    <div ref={box} className={styles.undo} role="status" data-status={deleted ? "open" : "closed"}>
      {deleted && (
        <>
          <span>
            Deleted “{deleted.title}”.{deleted.stopped && " Its run was stopped."}
          </span>
          <Button onClick={onUndo}>Undo</Button>
        </>
      )}
    </div>
  );
}

/** The focus is nowhere, or on the row that disappears. */
function isLost(pane: Element): boolean {
  return document.activeElement === document.body || pane.contains(document.activeElement);
}

function focusRow(pane: Element): void {
  const row = pane.querySelector<HTMLElement>("li a[aria-current]") ?? pane.querySelector("li a");
  if (row instanceof HTMLElement) row.focus({ preventScroll: true });
}

// The search field. Escape clears it, then leaves it; arrow down goes to the results.
type SearchBoxProps = {
  field: RefObject<HTMLInputElement>;
  text: string;
  onChange: (text: string) => void;
};

function SearchBox({ field, text, onChange }: SearchBoxProps) {
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (isComposing(event.nativeEvent)) return;
    if (event.key === "Escape") {
      if (text === "") event.currentTarget.blur();
      else event.stopPropagation(); // once for the words, once more for the drawer
      onChange("");
    }
    if (event.key !== "ArrowDown" || event.altKey) return;
    event.preventDefault();
    event.currentTarget.closest("nav")?.querySelector<HTMLElement>("ul a")?.focus();
  };
  return (
    <label className={styles.search}>
      <Icon name="search" />
      <input
        ref={field}
        className="input w-full"
        type="search"
        value={text}
        maxLength={200}
        placeholder="Search"
        aria-label="Search sessions and messages"
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={onKeyDown}
      />
    </label>
  );
}
