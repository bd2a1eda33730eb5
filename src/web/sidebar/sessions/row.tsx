// One session in the list: title, activity, and whether it needs someone.
import { memo, useEffect, useRef, useState, type KeyboardEvent } from "react";
import type { SessionRecord } from "../../../kernel/client/records.ts";
import { visibleLine } from "../../../kernel/text/visible-text.ts";
import { YoloBadge } from "../../session/safety-badges.tsx";
import { plural } from "../../text/format.ts";
import { Icon } from "../../ui/icon.tsx";
import { Link } from "../../ui/link.tsx";
import { Time } from "../../ui/time.tsx";
import { useNow } from "../../ui/use-now.ts";
import type { ListRow } from "./list.ts";
import styles from "./row.module.css";
import { ago, subtitleOf } from "../subtitle.ts";
import { isComposing } from "../../keys/composing.ts";

export type RowDoings = {
  readonly onOpen: () => void;
  readonly onFold: (sessionId: string) => void;
  readonly onMenu: (session: SessionRecord, anchor: Element) => void;
  readonly onRename: (session: SessionRecord, title: string | null) => void;
};
type SessionRowProps = {
  readonly row: Extract<ListRow, { kind: "session" }>;
  readonly current: boolean;
  readonly unread: boolean;
  readonly renaming: boolean;
  readonly doings: RowDoings;
};

export const SessionRow = memo(function SessionRow(props: SessionRowProps) {
  const { row, current, unread, renaming, doings } = props;
  const { session, depth } = row;
  const title = visibleLine(session.title) || "Untitled session";
  const { status } = subtitleOf(session);
  return (
    <div
      className={styles.row}
      style={{ paddingInlineStart: depth * 16 }}
      data-status={status}
      data-current={current}
      onContextMenu={(event) => {
        event.preventDefault();
        doings.onMenu(session, event.currentTarget);
      }}
    >
      {renaming ? (
        <Rename title={session.title} onDone={(wanted) => doings.onRename(session, wanted)} />
      ) : (
        <Link
          className={styles.link}
          to={{ page: "session", sessionId: session.session_id }}
          aria-current={current ? "page" : undefined}
          data-unread={unread}
          onClick={doings.onOpen}
        >
          <span className={styles.title}>
            {unread && (
              <>
                <span className={styles.unread} aria-hidden="true" />
                <span className="visually-hidden">Unread: </span>
              </>
            )}
            {title}
          </span>
          <span className={styles.time}>
            {session.pinned && <Icon name="pin" />}
            <Time at={session.updated_at} />
          </span>
          <Subtitle session={session} />
        </Link>
      )}
      <Fold row={row} title={title} onFold={doings.onFold} />
      <button
        type="button"
        className={styles.more}
        aria-label={`More for ${title}`}
        aria-haspopup="menu"
        onClick={(event) => doings.onMenu(session, event.currentTarget)}
      >
        <Icon name="more" />
      </button>
    </div>
  );
});

function Subtitle({ session }: { session: SessionRecord }) {
  const { status, text, since } = subtitleOf(session);
  return (
    <span className={styles.subtitle} data-part="subtitle">
      {status === "needs-you" && <Icon name="alert" />}
      {status === "running" && <span className={styles.dot} aria-hidden="true" />}
      <span className="ellipsis">{text}</span>
      {since !== null && <Since since={since} />}
      {session.pending > 1 && <span>({session.pending})</span>}
      <span className="inline-flex items-center gap-s flex-none ml-auto muted normal">
        {session.parent_session_id !== null && (
          <span title="A branch of another session">
            <Icon name="branch" />
            <span className="visually-hidden">branch</span>
          </span>
        )}
        {session.yolo && <YoloBadge size="short" />}
      </span>
    </span>
  );
}

function Since({ since }: { since: number }) {
  const words = ago(since, useNow(1_000));
  return words !== null && <span className="flex-none">· {words}</span>;
}

type FoldProps = Pick<SessionRowProps, "row"> & {
  title: string;
  onFold: RowDoings["onFold"];
};

function Fold({ row, title, onFold }: FoldProps) {
  if (row.branches === 0) return null;
  return (
    <button
      type="button"
      className={styles.fold}
      aria-expanded={!row.folded}
      aria-label={`${plural(row.branches, "branch", "branches")} of ${title}`}
      onClick={() => onFold(row.session.session_id)}
    >
      <Icon name="right" />
      {row.branches}
    </button>
  );
}

/** Enter and blur save, Escape cancels. */
function Rename({ title, onDone }: { title: string; onDone: (title: string | null) => void }) {
  const [text, setText] = useState(title);
  const field = useRef<HTMLInputElement>(null);
  const over = useRef(false);
  useEffect(() => field.current?.select(), []);
  const done = (wanted: string | null) => {
    if (over.current) return;
    over.current = true;
    onDone(wanted === null || wanted.trim() === "" || wanted === title ? null : wanted.trim());
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event.nativeEvent)) return;
    if (event.key === "Enter") done(text);
    if (event.key !== "Escape") return;
    event.stopPropagation();
    done(null);
  };
  return (
    <input
      ref={field}
      className={styles.rename}
      value={text}
      maxLength={500}
      aria-label="New title"
      onChange={(event) => setText(event.target.value)}
      onKeyDown={onKeyDown}
      onBlur={() => done(text)}
    />
  );
}
