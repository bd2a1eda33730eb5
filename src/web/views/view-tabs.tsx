// The tabs of a session. Keys 1 to 4 select them.
import { useRef, type KeyboardEvent } from "react";
import { COMPARE_VIEW } from "../../features/compare/view.ts";
import { useAction } from "../keys/actions.ts";
import { Icon, type IconName } from "../ui/icon.tsx";
import { adjust, type ViewName } from "../use-route.ts";
import styles from "./views.module.css";

type Tab = { readonly view: ViewName; readonly label: string; readonly icon: IconName };

const TABS: readonly Tab[] = [
  { view: "chat", label: "Chat", icon: "thought" },
  { view: "tree", label: "Tree", icon: "branch" },
  { view: "timeline", label: "Timeline", icon: "clock" },
  { view: "events", label: "Events", icon: "list" },
];
/** Has a tab only while it is open. */
const WHILE_OPEN: readonly Tab[] = [COMPARE_VIEW];

export function ViewTabs({ view }: { view: ViewName }) {
  const bar = useRef<HTMLDivElement>(null);
  const shown = [...TABS, ...WHILE_OPEN.filter((tab) => tab.view === view)];
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const at = shown.findIndex((tab) => tab.view === view);
    const next = shown[(at + step + shown.length) % shown.length];
    if (!next) return;
    adjust({ view: next.view });
    bar.current?.querySelector<HTMLElement>(`#tab-${next.view}`)?.focus();
  };
  return (
    // oxlint-disable-next-line jsx-a11y/interactive-supports-focus -- its tabs do
    <div ref={bar} className={styles.tabs} role="tablist" aria-label="View" onKeyDown={onKeyDown}>
      {shown.map((tab) => (
        <ViewTab key={tab.view} tab={tab} chosen={tab.view === view} />
      ))}
    </div>
  );
}

function ViewTab({ tab: { view, label, icon }, chosen }: { tab: Tab; chosen: boolean }) {
  const at = TABS.findIndex((tab) => tab.view === view);
  const open = () => adjust({ view });
  useAction({
    id: `view.${view}`,
    title: `Show as ${label.toLowerCase()}`,
    section: "View",
    ...(at >= 0 && { keys: [String(at + 1)] }),
    run: open,
  });
  return (
    <button
      type="button"
      id={`tab-${view}`}
      role="tab"
      aria-selected={chosen}
      aria-controls={chosen ? "view" : undefined}
      tabIndex={chosen ? 0 : -1}
      className={styles.tab}
      onClick={open}
    >
      <Icon name={icon} />
      {label}
    </button>
  );
}
