// One row of the file tree: type, name, change.
import type { CSSProperties } from "react";
import { bytes } from "../../text/format.ts";
import { Icon, type IconName } from "../../ui/icon.tsx";
import type { WorkspaceEntry } from "../../../kernel/api/records/records.ts";
import type { NetChange } from "../changes/changes-fold.ts";
import type { Marks } from "./tree.tsx";
import { nameOf, visiblePath } from "../open-file.ts";
import type { EntryRow, TreeRow } from "../tree-rows.ts";
import styles from "../tree.module.css";

export type Counts = { readonly added: number; readonly removed: number };

type FileRowProps = {
  id: string;
  row: TreeRow | undefined;
  active: boolean;
  marks: Marks;
  style: CSSProperties;
  onPress: () => void;
};

const ICON: Record<WorkspaceEntry["kind"], IconName> = {
  folder: "right", // turned when it is open
  file: "file",
  link: "branch",
  other: "plug",
};
const LETTER: Record<NetChange["what"], string> = {
  new: "new",
  changed: "changed",
  deleted: "deleted",
};

export function FileRow({ id, row, active, marks, style, onPress }: FileRowProps) {
  if (!row) return null;
  const indent = { ...style, paddingLeft: 8 + (row.level - 1) * 14 };
  if (row.kind === "note") {
    return (
      <div className={styles.note} role="none" style={indent}>
        {row.text}
      </div>
    );
  }
  const { entry, open, level, position, siblings } = row;
  const name = visiblePath(nameOf(entry.path));
  return (
    // Keys go to the tree, which has the focus; a press is the same as Enter there.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus
    <div
      id={id}
      role="treeitem"
      className={styles.row}
      style={indent}
      aria-level={level}
      aria-setsize={siblings}
      aria-posinset={position}
      aria-selected={active}
      aria-expanded={entry.kind === "folder" ? open : undefined}
      data-kind={entry.kind}
      data-open={open || undefined}
      title={entry.kind === "file" ? `${name} · ${bytes(entry.bytes ?? 0)}` : name}
      onClick={onPress}
    >
      <Icon name={ICON[entry.kind]} />
      <span className="min-w-0 overflow-hidden cut">{name}</span>
      <Mark entry={entry} marks={marks} row={row} />
    </div>
  );
}

function Mark({ entry, marks, row }: { entry: WorkspaceEntry; marks: Marks; row: EntryRow }) {
  const what = marks.changes.get(entry.path);
  if (what === undefined) return <Inside path={entry.path} marks={marks} shown={!row.open} />;
  const counts = marks.counts.get(entry.path);
  return (
    <span className={styles.mark} data-what={what}>
      {counts ? (
        <>
          <span className="visually-hidden">{LETTER[what]}, </span>
          <span data-kind="added">+{counts.added}</span>{" "}
          <span data-kind="removed">−{counts.removed}</span>
        </>
      ) : (
        LETTER[what]
      )}
    </span>
  );
}

/** Marks a collapsed folder with changes inside. */
function Inside({ path, marks, shown }: { path: string; marks: Marks; shown: boolean }) {
  if (!shown) return null;
  const prefix = `${path}/`;
  const count = [...marks.changes.keys()].filter((changed) => changed.startsWith(prefix)).length;
  if (count === 0) return null;
  return (
    <span className={styles.mark}>
      {count}
      <span className="visually-hidden"> changed</span>
    </span>
  );
}
