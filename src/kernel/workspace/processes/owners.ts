// Which command a process belongs to: by group, parent or the mark in its environment; in our own pid namespace also
// by elimination. A known owner is remembered, whatever the process does later.
import { CALL_MARK } from "../sandbox/environment.ts";
import type { ProcessGroups } from "./groups.ts";
import { hasMark, newestFirst, processTable, type ProcessEntry } from "./table.ts";

export type Owner = {
  readonly group: number;
  readonly mark: string;
  /** In a pid namespace of our own, and no other command ran since it began. */
  readonly lone: boolean;
};
export type OwnerOptions = {
  /** In a pid namespace of our own, whatever is not ours was started by a command. */
  readonly alone: boolean;
  readonly groups: Pick<ProcessGroups, "leash" | "isEmpty">;
};
export type ProcessOwners<One extends Owner> = {
  /** Every process of every command, newest first, until it is enough. */
  look(take: (one: One, entry: ProcessEntry) => "enough" | undefined): void;
  /** Processes of no command, in a namespace where each is of one: they hid their descent. */
  strays(): ProcessEntry[];
};

export function createProcessOwners<One extends Owner>(
  commands: ReadonlySet<One>,
  { alone, groups }: OwnerOptions,
): ProcessOwners<One> {
  const owners = new Map<string, One | undefined>(); // by process, as long as it lives
  const keys = new Map<number, string>(); // of the process that has this pid
  const ownGroup = processTable().find(({ pid }) => pid === process.pid)?.group;

  /** Commands have groups of their own; what is in the host's was started by the host for itself. */
  function isOurs({ pid, group }: ProcessEntry): boolean {
    return group === ownGroup || pid === 1 || pid === groups.leash();
  }

  function ownerOf({ pid, group, parent, key }: ProcessEntry): One | undefined {
    const known = owners.get(key);
    if (known && commands.has(known)) return known;
    for (const one of commands) if (group === one.group) return one;
    const above = owners.get(keys.get(parent) ?? "");
    if (above && commands.has(above)) return above;
    if (owners.has(key)) return undefined; // looked at before, and of nobody here
    for (const one of commands) if (hasMark(pid, `${CALL_MARK}=${one.mark}`)) return one;
    const [only] = commands;
    return only?.lone ? only : undefined;
  }

  return {
    look(take) {
      const alive = new Set<string>();
      const unknown: ProcessEntry[] = [];
      for (const entry of newestFirst()) {
        if (isOurs(entry)) continue;
        const isNew = !owners.has(entry.key);
        const owner = ownerOf(entry);
        alive.add(entry.key);
        owners.set(entry.key, owner);
        keys.set(entry.pid, entry.key);
        if (owner && take(owner, entry) === "enough") return;
        if (!owner && isNew) unknown.push(entry);
      }
      // The newest came first, when nobody had looked at their parents yet.
      for (const entry of unknown.toReversed()) {
        const owner = owners.get(keys.get(entry.parent) ?? "");
        if (!owner || !commands.has(owner)) continue;
        owners.set(entry.key, owner);
        if (take(owner, entry) === "enough") return;
      }
      for (const key of owners.keys()) if (!alive.has(key)) owners.delete(key);
      for (const [pid, key] of keys) if (!alive.has(key)) keys.delete(pid);
    },
    strays: () =>
      alone && groups.isEmpty() ? processTable().filter((entry) => !isOurs(entry)) : [],
  };
}
