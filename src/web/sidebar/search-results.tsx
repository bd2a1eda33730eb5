// What a search found: sessions by their title at once, and then what was said, each hit a link to it.
import type { ReactNode } from "react";
import type { SessionRecord } from "../../client/records.ts";
import type { MessageHit } from "../../protocol/api-records.ts";
import { visibleLine } from "../../protocol/visible-text.ts";
import { Link } from "../ui/link.tsx";
import { Problem } from "../ui/problem.tsx";
import { Time } from "../ui/time.tsx";
import { SessionRow } from "./session-row.tsx";
import { moveFocus, type RowsState } from "./session-rows.tsx";
import styles from "./search-results.module.css";
import type { Search } from "./use-search.ts";

type SearchResultsProps = {
  readonly words: string;
  readonly sessions: readonly SessionRecord[]; // those with the words in their title
  readonly rows: RowsState;
  readonly search: Search;
};
const MOST = 20;

export function SearchResults({ words, sessions, rows, search }: SearchResultsProps) {
  const hits = search.state === "found" ? search.hits : [];
  const nothing = sessions.length === 0 && search.state === "found" && hits.length === 0;
  const { onOpen } = rows.doings;
  return (
    <div className={styles.results}>
      {sessions.length > 0 && (
        <section className={styles.hits} aria-label="Found in titles">
          <h2 className={styles.head}>Sessions</h2>
          <ul onKeyDown={moveFocus}>
            {sessions.slice(0, MOST).map((session) => (
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
          {sessions.length > MOST && (
            <p className={styles.nothing}>and {sessions.length - MOST} more. Write more words.</p>
          )}
        </section>
      )}
      <section
        className={styles.hits}
        aria-label="Found in messages"
        aria-busy={search.state === "asking"}
      >
        {hits.length > 0 && <h2 className={styles.head}>In messages</h2>}
        <ul onKeyDown={moveFocus}>
          {hits.map((hit) => (
            <Hit key={`${hit.run_id}:${hit.seq}`} hit={hit} words={words} onOpen={onOpen} />
          ))}
        </ul>
        {search.state === "failed" && (
          <Problem text={`Messages were not searched. ${search.problem}`} />
        )}
      </section>
      <p className={styles.nothing} role="status">
        {nothing && `Nothing found for “${visibleLine(words)}”.`}
      </p>
    </div>
  );
}

function asRow(session: SessionRecord) {
  const { session_id: key } = session;
  return { kind: "session", key, session, depth: 0, branches: 0, folded: false } as const;
}

function Hit({ hit, words, onOpen }: { hit: MessageHit; words: string; onOpen: () => void }) {
  const { session_id: sessionId, run_id: runId, seq } = hit;
  return (
    <li>
      <Link className={styles.hit} to={{ page: "session", sessionId, runId, seq }} onClick={onOpen}>
        <span className={styles.title}>{visibleLine(hit.title) || "Untitled session"}</span>
        <span className={styles.time}>
          <Time at={hit.created_at} />
        </span>
        <span className={styles.snippet}>
          {hit.role === "user" && "You: "}
          {marked(visibleLine(hit.snippet), words)}
        </span>
      </Link>
    </li>
  );
}

/** The words that were looked for, wherever a word of the text begins with one. */
function marked(text: string, words: string): ReactNode[] {
  const wanted = words.match(/[\p{L}\p{N}]+/gu) ?? [];
  if (wanted.length === 0) return [text];
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])(${wanted.join("|")})`, "giu");
  return text
    .split(pattern)
    .map((part, index) => (index % 2 === 1 ? <mark key={index}>{part}</mark> : part));
}
