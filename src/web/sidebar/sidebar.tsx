// Every session and what it is doing, found by its words, with what needs somebody on top. On small
// screens it is a drawer over the page; on large ones it can be folded to a rail.
import { useDeferredValue, useRef, useState, type RefObject } from "react";
import { useApp } from "../app-context.ts";
import { useInboxCount } from "../inbox/inbox-store.ts";
import { useTitleBadge } from "../inbox/use-title-badge.ts";
import { visibleLine } from "../../kernel/text/visible-text.ts";
import { recall, remember } from "../storage.ts";
import { Button } from "../ui/button.tsx";
import { Icon, type IconName } from "../ui/icon.tsx";
import { Link } from "../ui/link.tsx";
import type { Route } from "../use-route.ts";
import { SessionPane } from "./session-pane.tsx";
import styles from "./sidebar.module.css";
import { useDrawer } from "./use-drawer.ts";

type SidebarProps = { route: Route; drawer: "open" | "closed"; onClose: () => void };
const RAIL = "quarterdeck.rail";

export function Sidebar({ route, drawer, onClose }: SidebarProps) {
  const panel = useRef<HTMLElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const listed = useDeferredValue(true, false); // what somebody came to read is drawn first
  const [rail, setRail] = useState(() => recall(RAIL) !== null);
  const toggle = () => {
    setRail(!rail);
    remember(RAIL, rail ? null : "1");
  };
  useDrawer(panel, drawer === "open", onClose);
  return (
    <>
      <div className={styles.scrim} data-status={drawer} onClick={onClose} aria-hidden="true" />
      <nav
        ref={panel}
        className={styles.sidebar}
        data-status={drawer}
        data-size={rail ? "rail" : "whole"}
        aria-label="Sessions"
      >
        <Head rail={rail} onToggle={toggle} onClose={onClose} />
        <Places route={route} onOpen={onClose} />
        {listed ? (
          <SessionPane
            route={route}
            field={field as RefObject<HTMLInputElement>}
            onOpen={onClose}
            onToggle={toggle}
            onSearch={() => {
              if (rail) toggle();
              requestAnimationFrame(() => field.current?.focus());
            }}
          />
        ) : (
          <div className={styles.unlisted} />
        )}
        <Foot route={route} onOpen={onClose} />
      </nav>
    </>
  );
}

type HeadProps = { rail: boolean; onToggle: () => void; onClose: () => void };

function Head({ rail, onToggle, onClose }: HeadProps) {
  const label = rail ? "Show the sessions" : "Hide the sessions";
  return (
    <div className={styles.head}>
      <span className={styles.brand}>
        <Icon name="wheel" /> <span className={styles.words}>Quarterdeck</span>
      </span>
      <span className={styles.toggle}>
        <Button
          tone="quiet"
          size="icon"
          icon="columns"
          aria-label={label}
          title={label}
          aria-expanded={!rail}
          onClick={onToggle}
        />
      </span>
      <span className={styles.close}>
        <Button tone="quiet" size="icon" icon="close" aria-label="Close" onClick={onClose} />
      </span>
    </div>
  );
}

type PlacesProps = { route: Route; onOpen: () => void };

function Places({ route, onOpen }: PlacesProps) {
  const count = useInboxCount();
  useTitleBadge(count);
  return (
    <div className={styles.places}>
      <Place icon="plus" text="New session" to={{ page: "start" }} route={route} onOpen={onOpen} />
      <Place icon="inbox" text="Inbox" to={{ page: "inbox" }} route={route} onOpen={onOpen}>
        {count > 0 && (
          <span className={styles.count} data-part="inbox-count">
            {count > 99 ? "99+" : count}
            <span className="visually-hidden"> {count === 1 ? "needs" : "need"} you</span>
          </span>
        )}
      </Place>
    </div>
  );
}

type PlaceProps = PlacesProps & {
  icon: IconName;
  text: string;
  to: Route;
  children?: React.ReactNode;
};

function Place({ icon, text, to, route, onOpen, children }: PlaceProps) {
  return (
    <Link
      className={styles.place}
      to={to}
      title={text}
      aria-current={route.page === to.page ? "page" : undefined}
      onClick={onOpen}
    >
      <Icon name={icon} /> <span className={styles.words}>{text}</span>
      {children}
    </Link>
  );
}

function Foot({ route, onOpen }: PlacesProps) {
  const { status } = useApp();
  return (
    <div className={styles.foot}>
      <Place icon="gear" text="Settings" to={{ page: "settings" }} route={route} onOpen={onOpen} />
      <p className={styles.workspace} title={visibleLine(status?.workspace ?? "")}>
        <bdi>{visibleLine(status?.workspace ?? "") || "\u00a0" /* its place is kept */}</bdi>
      </p>
    </div>
  );
}
