// What is noted of a file in a home. The files are the truth and people edit them as they like, so the journal
// keeps the hash of what was last seen: another one means that somebody was there.

/** `home`: which one, since machines have their own. `name`: `memory`, `user`, or a skill's. */
export type HomeSubject = {
  readonly home: string;
  readonly kind: "memory" | "skill";
  readonly profile: string;
  readonly name: string;
};

export type HomeNote = {
  readonly name: string;
  readonly hash: string; // empty: nothing was there
  readonly at: number;
  readonly by: string;
  readonly action: string;
  readonly source: string | null; // where it was installed from
  readonly installed_hash: string | null; // as it came from there
};

export type MemoryAction = "added" | "replaced" | "removed";
export type SkillAction = "created" | "edited" | "removed" | "installed";

/** `found`: the hash before `made`, or now if nothing was made. */
export type HomeSighting = HomeSubject & {
  readonly found: string;
  readonly made?: {
    readonly by: string;
    readonly action: MemoryAction | SkillAction;
    readonly hash: string;
    readonly source?: string | undefined;
  };
};
