// The rows of one run, found by position without building a list.
import type { Group } from "./groups.ts";

export type Place =
  | { readonly kind: "item"; readonly index: number; readonly grouped: boolean }
  | { readonly kind: "group"; readonly group: Group; readonly open: boolean };

type Piece = { readonly row: number; readonly place: Place };

export type Layout = {
  readonly count: number;
  readonly at: (row: number) => Place | undefined;
  /** The row of an item, or of its collapsed group. */
  readonly rowOf: (index: number) => number;
};

export function layoutOf(
  items: number,
  groups: readonly Group[],
  isOpen: (group: Group) => boolean,
): Layout {
  const pieces: Piece[] = [];
  let [row, next] = [0, 0];
  const addItems = (to: number, grouped: boolean) => {
    if (to > next) pieces.push({ row, place: { kind: "item", index: next, grouped } });
    row += to - next;
    next = to;
  };
  for (const group of groups) {
    const open = isOpen(group);
    addItems(group.from, false);
    pieces.push({ row, place: { kind: "group", group, open } });
    row += 1;
    if (open) addItems(group.to, true);
    next = group.to;
  }
  addItems(items, false);
  const count = row;
  return {
    count,
    at(wanted) {
      const piece =
        wanted < 0 || wanted >= count
          ? undefined
          : lastWith(pieces, ({ row: first }) => first <= wanted);
      if (piece?.place.kind !== "item") return piece?.place;
      return { ...piece.place, index: piece.place.index + wanted - piece.row };
    },
    rowOf(index) {
      const piece = lastWith(pieces, ({ place }) => firstIndex(place) <= index);
      if (!piece) return 0;
      return piece.place.kind === "group" ? piece.row : piece.row + index - piece.place.index;
    },
  };
}

function firstIndex(place: Place): number {
  return place.kind === "group" ? place.group.from : place.index;
}

/** Binary search. */
function lastWith(pieces: readonly Piece[], holds: (piece: Piece) => boolean): Piece | undefined {
  let low = -1;
  let high = pieces.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    const piece = pieces[middle];
    if (piece && holds(piece)) low = middle;
    else high = middle - 1;
  }
  return pieces[low];
}
