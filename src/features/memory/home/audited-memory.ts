// The memory of a profile as everybody uses it: every change says who made it, and what nobody said is noticed when
// the file is next read. The file is the truth: a change whose note is lost by a crash is noted as an edit by hand.
import { basename, dirname } from "node:path";
import type { HomeNote, MemoryAction } from "../../../kernel/events/home-notes.ts";
import { homeId } from "../../../kernel/home/home-id.ts";
import type { AuditOptions } from "../../../kernel/home/home-notes.ts";
import { openMemory, type MemoryStore, type MemoryTarget } from "./memory.ts";
import type { Profile } from "../../../kernel/home/profile.ts";

export type AuditedMemory = MemoryStore & {
  /** Who changed it last; null when nobody ever did. */
  last(target: MemoryTarget): Promise<HomeNote | null>;
};

export function openAuditedMemory(
  { directory }: Pick<Profile, "directory">,
  { notes, by }: AuditOptions,
): AuditedMemory {
  const profile = basename(directory);
  const about = async () =>
    ({ home: await homeId(dirname(directory)), kind: "memory", profile }) as const;
  const lastOf = async (target: MemoryTarget) => {
    const found = await notes.homeNotes(await about());
    return found.find(({ name }) => name === target) ?? null;
  };
  const storeFor = (action?: MemoryAction) =>
    openMemory({ directory }, async (target, { before, after }) => {
      const sighting = { ...(await about()), name: target, found: before };
      const made = action && before !== after ? { made: { by, action, hash: after } } : {};
      await notes.noteHome([{ ...sighting, ...made }]);
    });
  const plain = storeFor();
  /** Looks again while nobody else can change it: a change is noted after it was made. */
  const notice = async <View extends { hash: string }>(target: MemoryTarget, view: View) => {
    if (((await lastOf(target))?.hash ?? "") !== view.hash) await plain.look(target);
    return view;
  };
  return {
    ...plain,
    list: async (target) => notice(target, await plain.list(target)),
    read: async (target) => notice(target, await plain.read(target)),
    add: (...change) => storeFor("added").add(...change),
    replace: (...change) => storeFor("replaced").replace(...change),
    remove: (...change) => storeFor("removed").remove(...change),
    last: lastOf,
  };
}
