// Every session, newest first, with what it is doing. On small screens it is a drawer over the page.
import { useEffect, useRef } from "react";
import { useApp } from "../app-context.ts";
import { visibleLine } from "../../protocol/visible-text.ts";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { Link } from "../ui/link.tsx";
import type { Route } from "../use-route.ts";
import { SessionRow } from "./session-row.tsx";
import styles from "./sidebar.module.css";

type SidebarProps = { route: Route; drawer: "open" | "closed"; onClose: () => void };

export function Sidebar({ route, drawer, onClose }: SidebarProps) {
  const { sessions, status } = useApp();
  const panel = useRef<HTMLElement>(null);
  useEffect(() => {
    if (drawer !== "open") return;
    const before = document.activeElement;
    panel.current?.querySelector("a")?.focus();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, [drawer]);

  return (
    <>
      <div className={styles.scrim} data-status={drawer} onClick={onClose} aria-hidden="true" />
      <nav
        ref={panel}
        className={styles.sidebar}
        data-status={drawer}
        aria-label="Sessions"
        onKeyDown={(event) => {
          if (event.key === "Escape" && drawer === "open") onClose();
        }}
      >
        <div className={styles.head}>
          <span className={styles.brand}>
            <Icon name="wheel" /> Quarterdeck
          </span>
          <span className={styles.close}>
            <Button tone="quiet" size="icon" icon="close" aria-label="Close" onClick={onClose} />
          </span>
        </div>
        <Link className={styles.create} to={{ page: "start" }} onClick={onClose}>
          <Icon name="plus" /> New session
        </Link>
        <ul className={styles.list}>
          {sessions?.map((session) => (
            <SessionRow
              key={session.session_id}
              session={session}
              current={route.page === "session" && route.sessionId === session.session_id}
              onOpen={onClose}
            />
          ))}
        </ul>
        {sessions?.length === 0 && (
          <p className={styles.empty}>Your sessions will be listed here.</p>
        )}
        {status && (
          <p className={styles.foot} title={status.workspace}>
            <bdi>{visibleLine(status.workspace)}</bdi>
          </p>
        )}
      </nav>
    </>
  );
}
