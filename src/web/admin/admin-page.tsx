// The frame of an admin page: title, tabs and one column.
import { useEffect, useRef, type ReactNode } from "react";
import { PlainTitle, TopBar } from "../session/top-bar.tsx";
import { Icon } from "../ui/icon.tsx";
import { Link } from "../ui/link.tsx";
import { ADMIN_PAGES, type AdminPageName } from "./pages.ts";
import styles from "./admin-page.module.css";

type AdminPageProps = {
  name: AdminPageName;
  wide?: boolean; // tables and charts use the whole width
  actions?: ReactNode;
  children: ReactNode;
};

export function AdminPage({ name, wide = false, actions, children }: AdminPageProps) {
  const label = ADMIN_PAGES.find((page) => page.name === name)?.label ?? name;
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
        {ADMIN_PAGES.map(({ name: page, icon, label: words }) => (
          <Link
            key={page}
            className={styles.tab}
            to={{ page }}
            data-tab={page}
            aria-current={page === name ? "page" : undefined}
          >
            <Icon name={icon} /> {words}
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
