// Stores a group of appends in SQLite, in one transaction.
import { ApiError } from "../../events/errors.ts";
import type { AppendContext } from "../append.ts";
import type { Database } from "./database.ts";
import { mergeDeltas, type Entry, type StoreGroup } from "../group-commit.ts";
import type { Wake } from "../journal.ts";
import { appendClaimed } from "./append.ts";

export function sqliteGroups(
  db: Database,
  sealing: AppendContext,
  published: (wakes: Wake[]) => void,
): StoreGroup {
  function store(group: readonly Entry[]): void {
    const settled: (() => void)[] = [];
    const wakes: Wake[] = [];
    try {
      db.writeNow(() => {
        for (const { claim, drafts, options, resolve } of group) {
          const merged = { claim, drafts: mergeDeltas(drafts) };
          const { result, wake } = appendClaimed(db, merged, sealing, options);
          if (wake) wakes.push(wake);
          settled.push(() => resolve(result));
        }
      });
    } catch (error) {
      // All were rolled back. One writer's mistake must not fail the others, so each is stored alone.
      const retry = group.length > 1 && error instanceof ApiError;
      for (const entry of group) {
        if (retry) store([entry]);
        else entry.reject(error);
      }
      return;
    }
    // Persist before publish: only now may others see it.
    for (const settle of settled) settle();
    published(wakes);
  }
  return { store, isBusy: () => db.writing };
}
