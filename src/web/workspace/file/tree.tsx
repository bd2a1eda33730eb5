// The virtualized file tree. The tree has the focus (aria-activedescendant), because rows unmount.
import { useVirtualizer } from "@tanstack/react-virtual";
import { useId, useMemo, useRef, useState, type KeyboardEvent } from "react";
import type { NetChange } from "../changes/changes-fold.ts";
import { useMedia } from "../../ui/use-media.ts";
import { FileRow, type Counts } from "./row.tsx";
import { openFile } from "../open-file.ts";
import { keyTarget, parentRow, treeRows, typedTarget, type TreeRow } from "../tree-rows.ts";
import type { FolderTree } from "../use-folders.ts";
import styles from "../tree.module.css";

export type Marks = {
  readonly changes: ReadonlyMap<string, NetChange["what"]>;
  readonly counts: ReadonlyMap<string, Counts>;
};

export function FileTree({ tree, marks }: { tree: FolderTree; marks: Marks }) {
  const { folders, open, toggle } = tree;
  const rows = useMemo(() => treeRows(folders, open), [folders, open]);
  const [active, setActive] = useState<Active>({ index: 0, path: null });
  const at = placeOf(rows, active);
  const scroller = useRef<HTMLDivElement>(null);
  const id = useId();
  const height = useMedia("(pointer: coarse)") ? 44 : 28;
  // oxlint-disable-next-line react/incompatible-library -- nothing here is compiled or memoised by React
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    overscan: 12,
  });
  const choose = (index: number) => setActive({ index, path: pathOf(rows[index]) });
  const go = (index: number) => {
    choose(index);
    virtualizer.scrollToIndex(index, { align: "auto" });
  };
  const press = (row: TreeRow | undefined) => {
    if (row?.kind !== "entry") return;
    if (row.entry.kind === "folder") toggle(row.entry.path);
    else openFile(row.entry.path);
  };
  const onKeyDown = useTreeKeys({ rows, at, go, press });

  return (
    <div
      ref={scroller}
      className={styles.tree}
      role="tree"
      aria-label="Files"
      tabIndex={0}
      aria-activedescendant={rows.length > 0 ? `${id}-${at}` : undefined}
      onKeyDown={onKeyDown}
    >
      <div className="w-full relative" role="none" style={{ height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map(({ index, start, key }) => (
          <FileRow
            key={key}
            id={`${id}-${index}`}
            row={rows[index]}
            active={index === at}
            marks={marks}
            style={{ transform: `translateY(${start}px)`, height }}
            onPress={() => {
              choose(index);
              press(rows[index]);
            }}
          />
        ))}
      </div>
    </div>
  );
}

type Active = { readonly index: number; readonly path: string | null };

function pathOf(row: TreeRow | undefined): string | null {
  return row?.kind === "entry" ? row.entry.path : null;
}

/** The current index of the chosen path, or its old index if it is gone. */
function placeOf(rows: readonly TreeRow[], { index, path }: Active): number {
  const found = path === null ? -1 : rows.findIndex((row) => pathOf(row) === path);
  return found >= 0 ? found : Math.min(index, Math.max(0, rows.length - 1));
}

type Keys = {
  rows: readonly TreeRow[];
  at: number;
  go: (index: number) => void;
  press: (row: TreeRow | undefined) => void;
};

function useTreeKeys({ rows, at, go, press }: Keys) {
  const typed = useRef({ text: "", at: 0 });
  const type = (letter: string) => {
    const now = performance.now();
    const text = now - typed.current.at < 800 ? typed.current.text + letter : letter;
    typed.current = { text, at: now };
    return typedTarget(rows, text.length > 1 ? at - 1 : at, text);
  };
  const sideways = (key: string): number | "press" | undefined => {
    const row = rows[at];
    if (row?.kind !== "entry") return undefined;
    const isFolder = row.entry.kind === "folder";
    if (key === "ArrowRight") return isFolder && row.open ? at + 1 : isFolder ? "press" : undefined;
    return isFolder && row.open ? "press" : parentRow(rows, at);
  };
  return (event: KeyboardEvent) => {
    const { key } = event;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const isSideways = key === "ArrowRight" || key === "ArrowLeft";
    const isLetter = key.length === 1 && key !== " ";
    const target =
      key === "Enter" || key === " "
        ? "press"
        : isSideways
          ? sideways(key)
          : (keyTarget(rows, at, key) ?? (isLetter ? type(key) : undefined));
    if (target === undefined && !isSideways && !isLetter) return;
    event.preventDefault();
    event.stopPropagation(); // letters are keys of the page as well
    if (target === "press") press(rows[at]);
    else if (target !== undefined) go(target);
  };
}
