// Changes to the entries of one store, one at a time, with undo of the last one.
import { useState } from "react";
import type { memoryCalls } from "../client.ts";
import type { ChangedMemory, ProfileMemory } from "../records.ts";
import { useMutation } from "../../../web/use-mutation.ts";

type Calls = ReturnType<typeof memoryCalls>;
export type EntriesProps = { memory: ProfileMemory; calls: Calls; onChanged: () => void };
/** Restores the previous state. */
type Undo = { readonly words: string; readonly run: () => Promise<ChangedMemory> };

export function useMemoryChanges({ memory, calls, onChanged }: EntriesProps) {
  const { profile, target } = memory;
  const task = useMutation();
  const [editing, setEditing] = useState<string | null>(null);
  const [undo, setUndo] = useState<Undo | null>(null);
  const [added, setAdded] = useState(0);
  const change = (
    work: () => Promise<ChangedMemory>,
    back?: (done: ChangedMemory) => Undo | null,
  ) =>
    task.run(
      () => work().finally(onChanged), // a conflict too is news
      (done) => {
        setEditing(null);
        setUndo(back?.(done) ?? null);
      },
    );
  const add = (text: string) =>
    change(
      () => calls.add(profile, { target, text }),
      (done) => {
        setAdded(added + 1);
        const old = newIn(done, memory); // as it was kept, which need not be as it was typed
        if (old === undefined) return null;
        return { words: "Added.", run: () => calls.remove(profile, { target, old }) };
      },
    );
  const replace = (was: string, text: string) =>
    change(
      () => calls.replace(profile, { target, old: was, text }),
      (done) => {
        const old = newIn(done, memory);
        if (old === undefined) return null;
        return { words: "Changed.", run: () => calls.replace(profile, { target, old, text: was }) };
      },
    );
  const remove = (old: string) =>
    change(
      () => calls.remove(profile, { target, old }),
      () => ({ words: "Removed.", run: () => calls.add(profile, { target, text: old }) }),
    );
  const takeBack = undo && { words: undo.words, run: () => change(undo.run) };
  return { task, editing, setEditing, added, add, replace, remove, takeBack };
}

function newIn({ memory }: ChangedMemory, before: ProfileMemory): string | undefined {
  return memory.entries.findLast((entry) => !before.entries.includes(entry));
}
