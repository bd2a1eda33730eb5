// The virtualized lines of a file. A line number selects it in the address; with Shift, a range.
import { useVirtualizer } from "@tanstack/react-virtual";
import { memo, useEffect, useMemo, useRef } from "react";
import type { CSSProperties, KeyboardEvent, MouseEvent } from "react";
import { visibleText } from "../../../kernel/text/visible-text.ts";
import { Tokens, tokensClass } from "../../markdown/code-lines.tsx";
import { pathOf, useRoute } from "../../use-route.ts";
import { PAGE, type FilePages, type FileState, type Page } from "./pages.ts";
import type { Range } from "./viewer.tsx";
import { visiblePath } from "../open-file.ts";
import styles from "../viewer.module.css";

type FileLinesProps = {
  pages: FilePages;
  path: string;
  state: FileState;
  range: Range | null;
  wrap: boolean;
  onChoose: (line: number, more: boolean) => void;
};

const HEIGHT = 20;
const MAX = 1_500_000; // browsers end higher boxes somewhere

export function FileLines({ pages, path, state, range, wrap, onChoose }: FileLinesProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const count = countOf(state, range);
  // oxlint-disable-next-line react/incompatible-library -- nothing here is compiled or memoised by React
  const virtualizer = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => HEIGHT,
    overscan: 30,
  });
  const href = useLineAddress();
  const shown = virtualizer.getVirtualItems();
  const [first, last] = [(shown[0]?.index ?? 0) + 1, (shown.at(-1)?.index ?? 0) + 1];
  useEffect(() => pages.want(first, last), [pages, first, last]);

  const handlers = useLineChoice({ count, range, onChoose, scrollTo: virtualizer.scrollToIndex });
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- links in it are pressed
    <div
      ref={scroller}
      className={styles.lines}
      role="group"
      aria-label={`Lines of ${visiblePath(path)}`}
      tabIndex={0}
      data-wrap={wrap || undefined}
      style={gutter(count)}
      {...handlers}
    >
      <div
        className={`${styles.sizer} ${tokensClass}`}
        style={{ height: virtualizer.getTotalSize() }}
      >
        {shown.map(({ index, start, key }) => (
          <Line
            key={key}
            number={index + 1}
            page={state.pages.get(Math.floor(index / PAGE))}
            chosen={range !== null && index + 1 >= range.from && index + 1 <= range.to}
            measure={wrap ? virtualizer.measureElement : undefined}
            {...{ href, start }}
          />
        ))}
      </div>
    </div>
  );
}

type ChoiceOptions = Pick<FileLinesProps, "range" | "onChoose"> & {
  count: number;
  scrollTo: (index: number, options: { align: "center" | "auto" }) => void;
};

function useLineChoice({ count, range, onChoose, scrollTo }: ChoiceOptions) {
  const chosenHere = useRef<number | null>(null);
  const line = range?.from;
  useEffect(() => {
    if (line === undefined || line === chosenHere.current) return;
    scrollTo(Math.min(line, count) - 1, { align: "center" });
  }, [line]); // oxlint-disable-line react/exhaustive-deps -- a reader may scroll away from it
  const choose = (event: KeyboardEvent | MouseEvent, number: number) => {
    event.preventDefault();
    chosenHere.current = number;
    onChoose(number, event.shiftKey);
  };
  return {
    onKeyDown(event: KeyboardEvent) {
      const next = range && stepFrom(range, event);
      if (next === null) return;
      const number = Math.max(1, Math.min(count, next));
      choose(event, number);
      scrollTo(number - 1, { align: "auto" });
    },
    onClick(event: MouseEvent) {
      const number = pressedLine(event);
      if (number !== null) choose(event, number);
    },
  };
}

/** At least the requested lines, if the file is too large to count. */
function countOf({ count, info }: FileState, range: Range | null): number {
  const asked = info?.total_lines === null ? (range?.to ?? 0) : 0;
  return Math.min(Math.max(count, asked), MAX);
}

function gutter(count: number): CSSProperties {
  return { "--digits": `${String(count).length}ch` } as CSSProperties;
}

function stepFrom({ from, to }: Range, event: KeyboardEvent): number | null {
  if (event.ctrlKey || event.metaKey || event.altKey) return null;
  if (event.key === "ArrowDown") return to + 1;
  return event.key === "ArrowUp" ? from - 1 : null;
}

type LineProps = {
  number: number;
  page: Page | undefined;
  chosen: boolean;
  href: string;
  measure: ((element: HTMLElement | null) => void) | undefined;
  start: number;
};

/** Memoized. The list handles clicks on numbers. */
const Line = memo(function Line({ number, page, chosen, href, measure, start }: LineProps) {
  const at = (number - 1) % PAGE;
  const tokens = page?.tokens?.[at];
  return (
    <div
      ref={measure}
      className={styles.line}
      data-index={number - 1}
      data-line={number}
      data-selected={chosen || undefined}
      style={{ transform: `translateY(${start}px)` }}
    >
      <a
        className={styles.number}
        href={`${href}${number}`}
        tabIndex={-1}
        aria-label={`Line ${number}`}
        aria-current={chosen || undefined}
      >
        {number}
      </a>
      <code className={styles.text}>
        {tokens ? <Tokens line={tokens} /> : visibleText(page?.lines[at] ?? "")}
        {page?.cut.has(number) && <span className="muted italic"> … the line goes on</span>}
      </code>
    </div>
  );
});

/** The address of a line without its number. */
function useLineAddress(): string {
  const route = useRoute();
  return useMemo(
    () => (route.page === "session" ? `${pathOf({ ...route, line: undefined })}&line=` : ""),
    [route],
  );
}

/** The line of a plain click; modified clicks are the browser's. */
function pressedLine(event: MouseEvent): number | null {
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  if (!link || event.button !== 0 || event.ctrlKey || event.metaKey) return null;
  return Number(link.parentElement?.dataset["line"]);
}
