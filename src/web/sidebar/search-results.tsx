// Search results: sessions by title at once, then messages.
import type { SessionRecord } from "../../kernel/client/records.ts";
import type { HitKind, SearchHit } from "../../kernel/api/records/search.ts";
import { visibleLine } from "../../kernel/text/visible-text.ts";
import { KIND_ICONS, KIND_LABELS, KINDS, whoSaid } from "../search-results/hit-kinds.ts";
import { Marked } from "../search-results/marked.tsx";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { Link } from "../ui/link.tsx";
import { Problem } from "../ui/problem.tsx";
import { Time } from "../ui/time.tsx";
import { SessionRow } from "./sessions/row.tsx";
import { moveFocus, type RowsState } from "./sessions/rows.tsx";
import styles from "./search-results.module.css";
import type { Search } from "./use-search.ts";

type SearchResultsProps = {
  readonly words: string;
  readonly sessions: readonly SessionRecord[]; // those with the words in their title
  readonly rows: RowsState;
  readonly search: Search;
  readonly kind: HitKind | null;
  readonly onKind: (kind: HitKind | null) => void;
  readonly onMore: () => void;
};
const MAX = 20;

export function SearchResults(props: SearchResultsProps) {
  const { words, sessions, rows, search, kind, onKind, onMore } = props;
  const { onOpen } = rows.doings;
  const titled = kind === null ? sessions : []; // a kind is of what was said and done
  return (
    <div className="stack gap-m flex-1 min-h-0 scroll-y">
      <Kinds kind={kind} onKind={onKind} />
      {titled.length > 0 && <Titled sessions={titled} rows={rows} />}
      <section
        className={styles.hits}
        aria-label="Found in messages"
        aria-busy={search.state === "asking"}
      >
        {search.state === "found" && (
          <>
            {search.hits.length > 0 && <h2 className="p-item hint bold">Messages</h2>}
            <ul onKeyDown={moveFocus}>
              {search.hits.map((hit) => (
                <Hit key={`${hit.run_id}:${hit.seq}`} hit={hit} onOpen={onOpen} />
              ))}
            </ul>
            {search.next !== null && (
              <Button tone="quiet" onClick={onMore}>
                Search older messages
              </Button>
            )}
          </>
        )}
        {search.state === "failed" && (
          <Problem text={`Messages were not searched. ${search.problem}`} />
        )}
      </section>
      <p className={styles.nothing} role="status">
        {statusOf(search, words, titled.length)}
      </p>
    </div>
  );
}

function statusOf(search: Search, words: string, titled: number): string {
  if (search.state !== "found") return "";
  const older = search.indexing ? " Older sessions are still being indexed." : "";
  if (search.hits.length > 0 || titled > 0 || search.next !== null) return older.trim();
  return `Nothing found for “${visibleLine(words)}”.${older}`;
}

type KindsProps = Pick<SearchResultsProps, "kind" | "onKind">;

function Kinds({ kind, onKind }: KindsProps) {
  return (
    <div className={styles.kinds} role="group" aria-label="Only">
      {KINDS.map((each) => (
        <button
          key={each}
          type="button"
          className={styles.kind}
          aria-pressed={kind === each}
          onClick={() => onKind(kind === each ? null : each)}
        >
          <Icon name={KIND_ICONS[each]} /> {KIND_LABELS[each]}
        </button>
      ))}
    </div>
  );
}

function Titled({ sessions, rows }: Pick<SearchResultsProps, "sessions" | "rows">) {
  return (
    <section className={styles.hits} aria-label="Found in titles">
      <h2 className="p-item hint bold">Sessions</h2>
      <ul onKeyDown={moveFocus}>
        {sessions.slice(0, MAX).map((session) => (
          <li key={session.session_id}>
            <SessionRow
              row={asRow(session)}
              current={session.session_id === rows.current}
              unread={rows.isUnread(session)}
              renaming={session.session_id === rows.renaming}
              doings={rows.doings}
            />
          </li>
        ))}
      </ul>
      {sessions.length > MAX && (
        <p className={styles.nothing}>and {sessions.length - MAX} more. Write more words.</p>
      )}
    </section>
  );
}

function asRow(session: SessionRecord) {
  const { session_id: key } = session;
  return { kind: "session", key, session, depth: 0, branches: 0, folded: false } as const;
}

function Hit({ hit, onOpen }: { hit: SearchHit; onOpen: () => void }) {
  const { session_id: sessionId, run_id: runId, seq, kind } = hit;
  const who = visibleLine(whoSaid(hit));
  return (
    <li>
      <Link
        className={styles.hit}
        data-kind={kind}
        to={{ page: "session", sessionId, runId, seq }}
        onClick={onOpen}
      >
        <span className={styles.title}>
          <Icon name={KIND_ICONS[kind]} />
          <span className="visually-hidden">{KIND_LABELS[kind]}: </span>
          {visibleLine(hit.title) || "Untitled session"}
        </span>
        <span className="hint">
          <Time at={hit.created_at} />
        </span>
        <span className={styles.snippet}>
          {who !== "" && `${who}: `}
          <Marked hit={hit} />
        </span>
      </Link>
    </li>
  );
}
