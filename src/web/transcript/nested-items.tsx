// The items of a subagent inside its call's card.
import { useContext, useMemo, useSyncExternalStore } from "react";
import { useRun } from "../session/use-session.ts";
import { FoldsContext } from "./folds.ts";
import { GroupHead } from "./group-head.tsx";
import type { Group } from "./groups.ts";
import { GroupingContext } from "./grouping-context.ts";
import { layoutOf } from "./layout.ts";
import { isGroupOpen } from "./rows.ts";
import { SelectedContext } from "./selected-place.ts";
import { TranscriptItem } from "./transcript-row.tsx";

const NONE: readonly Group[] = [];

export function NestedItems({ runId, from }: { runId: string; from: number }) {
  const grouping = useContext(GroupingContext);
  const folds = useContext(FoldsContext);
  const states = useSyncExternalStore(folds.subscribe, folds.states);
  const count = useRun(runId, ({ items }) => items.length) ?? 0;
  const groups = useRun(runId, ({ items }) => grouping(runId, items)) ?? NONE;
  const places = useContext(SelectedContext);
  const selected = places.find((place) => place.runId === runId)?.index ?? null;
  const layout = useMemo(
    () => layoutOf(count, groups, (group) => isGroupOpen(group, states, selected)),
    [count, groups, states, selected],
  );
  return Array.from({ length: layout.count }, (_, row) => {
    const place = layout.at(row);
    if (!place) return null;
    if (place.kind === "group") {
      const { group, open } = place;
      return <GroupHead key={`group ${group.from}`} runId={runId} group={group} open={open} />;
    }
    if (place.index < from) return null;
    return <TranscriptItem key={place.index} runId={runId} index={place.index} />;
  });
}
