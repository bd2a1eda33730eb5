// Actions of a session row: rename, pin, delete with undo, mark as unread.
import { useEffect, useState } from "react";
import type { SessionRecord } from "../../kernel/client/records.ts";
import { visibleLine } from "../../kernel/text/visible-text.ts";
import { useApp } from "../app-context.ts";
import { useMutation } from "../use-mutation.ts";
import { navigate, type Route } from "../use-route.ts";
import type { MenuItem } from "./row-menu.tsx";
import { isUnread, markSeen, markUnread, useSeen } from "./seen.ts";
import { useHeads } from "./use-mark-seen.ts";

const UNDO_MS = 8_000;

export type Deleted = {
  readonly sessionId: string;
  readonly title: string;
  readonly stopped: boolean;
};

export function useSessionDoings(route: Route, changed: (sessionId: string) => void) {
  const { api } = useApp();
  const command = useMutation();
  const seen = useSeen();
  const headOf = useHeads();
  const [deleted, setDeleted] = useDeleted();
  const [renaming, setRenaming] = useState<string | null>(null);

  /** The person's own change is one event and not news. */
  const done = (session: SessionRecord) => {
    const { session_id: id, seq } = session;
    if (!isUnread(seen, session)) markSeen(id, Math.max(headOf(id) ?? 0, seq + 1));
    changed(session.session_id);
  };
  const update = (session: SessionRecord, change: { pinned?: boolean; deleted?: boolean }) =>
    command.send(
      [session.session_id, change, session.seq],
      (command_id) => api.updateSession(session.session_id, { ...change, command_id }),
      () => {
        done(session);
        if (change.deleted) forget(session);
      },
    );
  const forget = (session: SessionRecord) => {
    const { session_id: sessionId, active_status } = session;
    const title = visibleLine(session.title) || "Untitled session";
    setDeleted({ sessionId, title, stopped: active_status !== null });
    if (route.page === "session" && route.sessionId === sessionId) navigate({ page: "start" });
  };
  const restore = () => {
    if (!deleted) return;
    const { sessionId } = deleted;
    command.send(
      [sessionId, "restore"],
      (command_id) => api.updateSession(sessionId, { deleted: false, command_id }),
      () => {
        setDeleted(null);
        changed(sessionId);
      },
    );
  };
  const rename = (session: SessionRecord, title: string | null) => {
    setRenaming(null);
    if (title === null) return;
    command.send(
      [session.session_id, "title", title, session.seq],
      () => api.updateTitle(session.session_id, title),
      () => done(session),
    );
  };
  const itemsFor = (session: SessionRecord, onExport: () => void) =>
    menuOf(session, {
      onExport,
      unread: isUnread(seen, session),
      onPin: () => update(session, { pinned: !session.pinned }),
      onRename: () => setRenaming(session.session_id),
      onDelete: () => update(session, { deleted: true }),
    });
  return { itemsFor, rename, renaming, deleted, restore, problem: command.problem };
}

/** Undo is offered for a limited time. */
function useDeleted() {
  const [deleted, setDeleted] = useState<Deleted | null>(null);
  useEffect(() => {
    if (!deleted) return;
    const timer = setTimeout(() => setDeleted(null), UNDO_MS);
    return () => clearTimeout(timer);
  }, [deleted]);
  return [deleted, setDeleted] as const;
}

type MenuDoings = {
  readonly onExport: () => void;
  readonly unread: boolean;
  readonly onPin: () => void;
  readonly onRename: () => void;
  readonly onDelete: () => void;
};

function menuOf(session: SessionRecord, menu: MenuDoings): MenuItem[] {
  const { session_id: id, seq, pinned, active_status } = session;
  return [
    { label: pinned ? "Unpin" : "Pin", icon: "pin", run: menu.onPin },
    { label: "Rename", icon: "pencil", run: menu.onRename },
    { label: "Export…", icon: "down", run: menu.onExport, room: "features/share" },
    menu.unread
      ? { label: "Mark as read", icon: "check", run: () => markSeen(id, seq) }
      : { label: "Mark as unread", icon: "bell", run: () => markUnread(id) },
    {
      label: active_status === null ? "Delete" : "Stop and delete",
      icon: "trash",
      tone: "danger",
      run: menu.onDelete,
    },
  ];
}
