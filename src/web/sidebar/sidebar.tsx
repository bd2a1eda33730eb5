// The sidebar: search, inbox and sessions. A drawer on small screens; can be collapsed to a rail on large ones.
import { useDeferredValue, useRef, useState, type RefObject, useEffect } from "react";
import { useApp } from "../app-context.ts";
import { useInboxCount } from "../inbox/inbox-store.ts";
import { visibleLine } from "../../kernel/text/visible-text.ts";
import { recall, remember } from "../storage.ts";
import { IconButton } from "../ui/button.tsx";
import { Icon, type IconName } from "../ui/icon.tsx";
import { Link } from "../ui/link.tsx";
import type { Route } from "../use-route.ts";
import { SessionPane } from "./sessions/pane.tsx";
import styles from "./sidebar.module.css";
import { isComposing } from "../keys/composing.ts";

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
        <IconButton
          icon="columns"
          label={label}
          title={label}
          aria-expanded={!rail}
          onClick={onToggle}
        />
      </span>
      <span className={styles.close}>
        <IconButton icon="close" label="Close" onClick={onClose} />
      </span>
    </div>
  );
}

type PlacesProps = { route: Route; onOpen: () => void };

function Places({ route, onOpen }: PlacesProps) {
  const count = useInboxCount();
  useTitleBadge(count);
  return (
    <div className="stack gap-xs">
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

// Puts the inbox count in front of the window's title.
const BADGE = /^\(\d+\) /;

function useTitleBadge(count: number): void {
  useEffect(() => {
    const title = document.querySelector("title");
    if (!title) return;
    const badge = () => {
      const plain = document.title.replace(BADGE, "");
      const wanted = count > 0 ? `(${count}) ${plain}` : plain;
      if (document.title !== wanted) document.title = wanted;
    };
    badge();
    const changes = new MutationObserver(badge);
    changes.observe(title, { childList: true, characterData: true, subtree: true });
    return () => changes.disconnect();
  }, [count]);
}

// The sidebar as a modal drawer on small screens: it holds the focus, and Escape closes it.
const SMALL = "(width <= 720px)"; // as in sidebar.module.css

function useDrawer(
  panel: RefObject<HTMLElement | null>,
  isOpen: boolean,
  onClose: () => void,
): void {
  useEffect(() => {
    if (!isOpen) return;
    const before = document.activeElement;
    const giveBack = keepFrom(document.getElementById("main"));
    panel.current?.querySelector("a")?.focus();
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== "Escape" || event.defaultPrevented || isComposing(event)) return;
      event.preventDefault(); // or it would stop the run as well
      onClose();
    };
    document.addEventListener("keydown", onKeyDown);
    return () => {
      document.removeEventListener("keydown", onKeyDown);
      giveBack();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
      else document.getElementById("main")?.focus(); // another page took its place
    };
  }, [panel, isOpen, onClose]);
}

/** On a large screen the drawer is a column and does not block the page. */
function keepFrom(main: HTMLElement | null): () => void {
  const small = matchMedia(SMALL);
  const set = () => {
    if (main) main.inert = small.matches;
  };
  set();
  small.addEventListener("change", set);
  return () => {
    small.removeEventListener("change", set);
    if (main) main.inert = false;
  };
}
