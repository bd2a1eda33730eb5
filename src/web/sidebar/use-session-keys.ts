// Keys and palette actions for sessions.
import type { SessionRecord } from "../../kernel/client/records.ts";
import { useAction } from "../keys/actions.ts";
import { navigate } from "../use-route.ts";
import type { ListRow } from "./sessions/list.ts";
import { nextSession } from "./next-session.ts";

type SessionKeys = {
  readonly rows: readonly ListRow[];
  readonly current: string | null;
  readonly wants: (session: SessionRecord) => boolean; // unread or waiting
  readonly onSearch: () => void;
  readonly onToggle: () => void;
};

export function useSessionKeys({ rows, current, wants, onSearch, onToggle }: SessionKeys): void {
  const go = (step: 1 | -1, among?: (session: SessionRecord) => boolean) => {
    const sessionId = nextSession(rows, { current, step, ...(among && { among }) });
    if (sessionId !== null) navigate({ page: "session", sessionId });
  };
  useAction({
    id: "session.next",
    title: "Next session",
    section: "Go to",
    keys: ["alt+arrowdown"],
    run: () => go(1),
  });
  useAction({
    id: "session.previous",
    title: "Previous session",
    section: "Go to",
    keys: ["alt+arrowup"],
    run: () => go(-1),
  });
  useAction({
    id: "session.next-unread",
    title: "Next session that is unread or needs you",
    section: "Go to",
    keys: ["alt+shift+arrowdown"],
    run: () => go(1, wants),
  });
  useAction({
    id: "session.previous-unread",
    title: "Previous session that is unread or needs you",
    section: "Go to",
    keys: ["alt+shift+arrowup"],
    run: () => go(-1, wants),
  });
  useAction({
    id: "sidebar.search",
    title: "Search sessions and messages",
    section: "Go to",
    keys: ["mod+shift+f"],
    run: onSearch,
  });
  useAction({
    id: "sidebar.toggle",
    title: "Show or hide the sessions",
    section: "View",
    keys: ["mod+b"],
    run: onToggle,
  });
}
