// The part of the sidebar that is about sessions: the search, the list or what was found, the menu of a
// row, and the way back from a delete.
import { lazy, Suspense, useCallback, useMemo, useState, type RefObject } from "react";
import type { SessionRecord } from "../../kernel/client/records.ts";
import type { ProjectRecord } from "../../kernel/api/records/records.ts";
import type { HitKind } from "../../kernel/api/records/search.ts";
import { useApp } from "../app-context.ts";
import { recall, remember } from "../storage.ts";
import { Problem } from "../ui/problem.tsx";
import { useNow } from "../ui/use-now.ts";
import { useQuery } from "../use-query.ts";
import type { Route } from "../use-route.ts";
import { RowMenu } from "./row-menu.tsx";
import { SearchBox } from "./search-box.tsx";
import { SearchResults } from "./search-results.tsx";
import { isUnread, useSeen } from "./seen.ts";
import { listRows, titleHas } from "./session-list.ts";
import { SessionRows, type RowsState } from "./session-rows.tsx";
import styles from "./sidebar.module.css";
import { Undo } from "./undo.tsx";
import { useMarkSeen } from "./use-mark-seen.ts";
import { useSearch } from "./use-search.ts";
import { useSessionDoings } from "./use-session-doings.ts";
import { useSessionKeys } from "./use-session-keys.ts";
import { useSessionPages } from "./use-session-pages.ts";

const ExportSheet = lazy(async () => ({
  default: (await import("../../features/share/web/export-sheet.tsx")).ExportSheet,
}));

type SessionPaneProps = {
  route: Route;
  field: RefObject<HTMLInputElement>;
  onOpen: () => void;
  onToggle: () => void;
  onSearch: () => void;
};
type Menu = { readonly session: SessionRecord; readonly anchor: Element };

export function SessionPane({ route, field, onOpen, onToggle, onSearch }: SessionPaneProps) {
  const { sessions, loadMore, changed } = useSessionPages();
  const current = route.page === "session" ? route.sessionId : null;
  const { itemsFor, rename, renaming, deleted, restore, problem } = useSessionDoings(
    route,
    changed,
  );
  const [menu, setMenu] = useState<Menu | null>(null);
  const [exporting, setExporting] = useState<string | null>(null);
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
    onMenu: (session: SessionRecord, anchor: Element) => setMenu({ session, anchor }),
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
          items={itemsFor(menu.session, () => setExporting(menu.session.session_id))}
          onClose={() => setMenu(null)}
        />
      )}
      <Exporting sessionId={exporting} onClose={() => setExporting(null)} />
    </div>
  );
}

type ExportingProps = { sessionId: string | null; onClose: () => void };

function Exporting({ sessionId, onClose }: ExportingProps) {
  if (sessionId === null) return null;
  return (
    <Suspense fallback={null}>
      <ExportSheet kind="export" runId={null} sessionId={sessionId} onClose={onClose} />
    </Suspense>
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

/** Without them the groups are days. */
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
