// A profile's memory, for every window that shows or changes it.
import { join } from "node:path";
import type { MemoryChange } from "../home/memory.ts";
import { openAuditedMemory, type AuditedMemory } from "../home/audited-memory.ts";
import type { Journal } from "../../../kernel/journal/journal.ts";
import type { ChangedMemory, MemoryTarget, ProfileMemory } from "../records.ts";
import { profileOf, refusing, type HomeAccess } from "../../../kernel/server/home-access.ts";

export type MemoryAsked = {
  readonly profile: string;
  readonly target: MemoryTarget;
  /** Who asks: "person", or a window's name. */
  readonly by: string;
};
type Work = (store: AuditedMemory) => Promise<MemoryChange>;

export function memoryAccess({
  journal,
  homeFiles,
}: {
  journal: Journal;
  homeFiles?: HomeAccess | undefined;
}) {
  const open = async ({ profile: name, by }: MemoryAsked) => {
    const profile = await profileOf(homeFiles, name);
    return { profile, store: openAuditedMemory(profile, { notes: journal.homeFiles, by }) };
  };
  const read = (asked: MemoryAsked): Promise<ProfileMemory> =>
    refusing(async () => {
      const { profile, store } = await open(asked);
      const { target } = asked;
      const view = await store.list(target);
      const last = await store.last(target);
      return {
        profile: profile.name,
        target,
        ...view,
        entries: [...view.entries],
        last: last && { by: last.by, at: last.at, action: last.action },
        path: join(profile.directory, "memory", target === "user" ? "USER.md" : "MEMORY.md"),
      };
    });
  const change = (asked: MemoryAsked, work: Work): Promise<ChangedMemory> =>
    refusing(async () => {
      const { store } = await open(asked);
      const { changed, was = null } = await work(store);
      return { changed, was, memory: await read(asked) };
    });
  return {
    read,
    add: (asked: MemoryAsked, text: string) =>
      change(asked, (store) => store.add(asked.target, text)),
    /** `old` is the whole entry: one that was changed meanwhile is another, and stays. */
    replace: (asked: MemoryAsked, { old, text }: { old: string; text: string }) =>
      change(asked, (store) => store.replace(asked.target, { old, text, whole: true })),
    remove: (asked: MemoryAsked, old: string) =>
      change(asked, (store) => store.remove(asked.target, { old, whole: true })),
  };
}
