// The activity feed. What this window got as replay is dimmed and collapsed into one group.
import {
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type KeyboardEvent,
} from "react";
import { pendingRequests, visibleNodes, type HudNode } from "../../windows/hud/state/hud-state.ts";
import { visibleLine } from "../../kernel/text/visible-text.ts";
import { useAction } from "../keys/actions.ts";
import { select, useSelection } from "../session/selection.ts";
import { useIsPast, useFold, useSource } from "../session/use-session.ts";
import { recall, remember } from "../storage.ts";
import { Icon } from "../ui/icon.tsx";
import { Link } from "../ui/link.tsx";
import { hudFold, originOf, type HudFeed } from "./fold.ts";
import { HudRows } from "./row.tsx";
import styles from "./hud.module.css";
import { useReplayMark } from "./replay-mark.ts";
import {
  countNodes,
  limitOf,
  LIMITS,
  nodeAt,
  describeReplayed,
  splitReplay,
  tabStop,
} from "./shown-rows.ts";

const LIMIT_KEY = "quarterdeck.hud.limit";

export function HudPanel() {
  const feed = useFold(hudFold, (state) => state.feed);
  const [limit, setLimit] = useState(() => limitOf(recall(LIMIT_KEY)));
  const nodes = useMemo(
    () => visibleNodes(feed.hud, limit === 0 ? Number.POSITIVE_INFINITY : limit),
    [feed, limit],
  );
  const total = feed.hud.entries.length;
  const choose = (wanted: number) => {
    setLimit(wanted);
    remember(LIMIT_KEY, String(wanted));
  };
  return (
    <div className="stack flex-1 min-h-0" data-hud>
      <header className={styles.head}>
        <span role="status">
          {total === 0
            ? "Nothing yet"
            : `${countNodes(nodes).toLocaleString("en")} of ${total.toLocaleString("en")}`}
        </span>
        <label className={styles.limit}>
          <span>Show the last</span>
          <select value={limit} onChange={(event) => choose(Number(event.target.value))}>
            {LIMITS.map((each) => (
              <option key={each} value={each}>
                {each === 0 ? "all" : each}
              </option>
            ))}
          </select>
        </label>
      </header>
      <Pending feed={feed} />
      {total === 0 ? (
        <p className="p-xl muted">What the agent does appears here as it happens.</p>
      ) : (
        <Feed feed={feed} nodes={nodes} />
      )}
    </div>
  );
}

function Pending({ feed }: { feed: HudFeed }) {
  const past = useIsPast();
  const pending = pendingRequests(feed.hud);
  if (past || pending.length === 0) return null;
  return (
    <ul className={styles.pending} aria-label="Waits for you">
      {pending.map(({ requestId, label }) => (
        <li key={requestId}>
          <Link to={{ page: "approve", requestId }}>
            <Icon name="alert" />
            <span className="min-w-0 ellipsis">{visibleLine(label)}</span>
          </Link>
        </li>
      ))}
    </ul>
  );
}

function Feed({ feed, nodes }: { feed: HudFeed; nodes: readonly HudNode[] }) {
  const mark = useReplayMark();
  const isReplay = useCallback(
    (node: HudNode) => (originOf(feed, node)?.sessionSeq ?? 0) <= mark,
    [feed, mark],
  );
  const moment = useIsPast();
  const split = useMemo(() => splitReplay(nodes, { isReplay, moment }), [nodes, isReplay, moment]);
  const { past, news } = split;
  const [folded, setFolded] = useState(false);
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const press = usePress(feed, setOpened);
  const selected = useSelectedRow(feed, nodes);
  const list = useFollowing(feed, selected);
  useAction({
    id: "hud.earlier",
    title: folded ? "Show earlier activity" : "Fold earlier activity",
    section: "View",
    unavailable: past.length === 0 ? "Nothing was replayed" : null,
    run: () => setFolded(!folded),
  });
  const [focused, setFocused] = useState<string | null>(null);
  const stop = useMemo(
    () => tabStop(folded ? news : nodes, focused),
    [folded, news, nodes, focused],
  );
  const rows = { isReplay, opened, selected, stop, onPress: press };
  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- its rows have the focus
    <div
      ref={list}
      className={styles.feed}
      onKeyDown={moveFocus}
      onFocus={({ target }) => {
        if (target.id.startsWith(ROW)) setFocused(target.id.slice(ROW.length));
      }}
    >
      {past.length > 0 && (
        <section className={styles.past} aria-label="Before this window was opened">
          <button
            type="button"
            className={styles.group}
            data-row
            aria-expanded={!folded}
            onClick={() => setFolded(!folded)}
          >
            <span className={styles.turn} aria-hidden="true">
              <Icon name="right" />
            </span>
            {describeReplayed(split, isReplay)}
          </button>
          {!folded && <HudRows {...rows} nodes={past} />}
        </section>
      )}
      {news.length > 0 && <HudRows {...rows} nodes={news} />}
    </div>
  );
}

type SetOpened = (change: (before: ReadonlySet<string>) => ReadonlySet<string>) => void;

/** A click toggles a row and selects its event. */
function usePress(feed: HudFeed, setOpened: SetOpened) {
  const { sessionId } = useSource();
  const latest = useRef(feed);
  useEffect(() => {
    latest.current = feed;
  });
  return useCallback(
    (node: HudNode) => {
      setOpened((before) => {
        const next = new Set(before);
        if (!next.delete(node.id)) next.add(node.id);
        return next;
      });
      const origin = originOf(latest.current, node);
      // Session events belong to no run, so no view can show them.
      if (origin && origin.runId !== sessionId) select({ runId: origin.runId, seq: origin.seq });
    },
    [sessionId, setOpened],
  );
}

function useSelectedRow(feed: HudFeed, nodes: readonly HudNode[]): string | null {
  const selection = useSelection();
  return useMemo(
    () => (selection ? (nodeAt(feed, nodes, selection)?.id ?? null) : null),
    [feed, nodes, selection],
  );
}

const ROW = "hud-";
const NEAR_PX = 24;

/** Follows the newest row while it is in view, and scrolls to a row selected elsewhere. */
function useFollowing(feed: HudFeed, selected: string | null) {
  const list = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  useEffect(() => {
    const box = list.current;
    const note = () => {
      if (box) atEnd.current = box.scrollHeight - box.scrollTop - box.clientHeight < NEAR_PX;
    };
    box?.addEventListener("scroll", note, { passive: true });
    return () => box?.removeEventListener("scroll", note);
  }, []);
  useLayoutEffect(() => {
    const box = list.current;
    if (box && atEnd.current) box.scrollTop = box.scrollHeight;
  }, [feed]);
  useEffect(() => {
    if (selected === null) return;
    document.getElementById(ROW + selected)?.scrollIntoView({ block: "nearest" });
  }, [selected]);
  return list;
}

const STEPS: Readonly<Record<string, (at: number, last: number) => number>> = {
  ArrowDown: (at, last) => Math.min(at + 1, last),
  ArrowUp: (at) => Math.max(at - 1, 0),
  Home: () => 0,
  End: (_at, last) => last,
};

function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const step = STEPS[event.key];
  if (!step || !(event.target instanceof HTMLElement) || !event.target.matches("[data-row]"))
    return;
  const rows = [...event.currentTarget.querySelectorAll<HTMLElement>("[data-row]")];
  event.preventDefault();
  rows[step(rows.indexOf(event.target), rows.length - 1)]?.focus();
}
