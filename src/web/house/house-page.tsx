// The frame of a page that is about the house and not about one session: its title, the way to the others,
// and its content in one column.
import { useEffect, useRef, type ReactNode } from "react";
import { PlainTitle, TopBar } from "../session/top-bar.tsx";
import { Icon } from "../ui/icon.tsx";
import { Link } from "../ui/link.tsx";
import { HOUSE_PAGES, type HousePageName } from "../use-route.ts";
import { HOUSE_WORDS } from "./house-words.ts";
import styles from "./house-page.module.css";

type HousePageProps = {
  name: HousePageName;
  wide?: boolean; // tables and charts use the whole width
  actions?: ReactNode;
  children: ReactNode;
};

export function HousePage({ name, wide = false, actions, children }: HousePageProps) {
  const { label } = HOUSE_WORDS[name];
  const nav = useRef<HTMLElement>(null);
  useEffect(() => {
    const tab = nav.current?.querySelector(`[data-tab="${name}"]`);
    tab?.scrollIntoView({ block: "nearest", inline: "nearest" }); // on a phone they do not all fit
  }, [name]);
  useEffect(() => {
    document.title = `${label} · Quarterdeck`;
  }, [label]);
  return (
    <>
      <TopBar title={<PlainTitle text={label} />} actions={actions} />
      <nav ref={nav} className={styles.nav} aria-label="House">
        {HOUSE_PAGES.map((page) => (
          <Link
            key={page}
            className={styles.tab}
            to={{ page }}
            data-tab={page}
            aria-current={page === name ? "page" : undefined}
          >
            <Icon name={HOUSE_WORDS[page].icon} /> {HOUSE_WORDS[page].label}
          </Link>
        ))}
      </nav>
      <div className="flex-1 min-h-0 scroll-y" data-page={name}>
        <div className={styles.column} data-size={wide ? "wide" : "column"}>
          {children}
        </div>
      </div>
    </>
  );
}
