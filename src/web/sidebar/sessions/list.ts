// Rows of the session list: pinned ones, then groups, with branches below their parent. Pure.
import type { SessionRecord } from "../../../kernel/client/records.ts";

export type ListRow =
  | { readonly kind: "head"; readonly key: string; readonly text: string }
  | {
      readonly kind: "session";
      readonly key: string;
      readonly session: SessionRecord;
      readonly depth: number;
      readonly branches: number; // how many are beneath it
      readonly folded: boolean; // true: some of them are not shown
    };

export type ListOptions = {
  readonly now: number; // ms
  readonly projects: readonly { readonly project_id: string; readonly name: string }[];
  readonly folded: ReadonlySet<string>; // sessions whose branches are put away
  /** Shown even if its parent is collapsed, because it needs somebody or is open. */
  readonly keep: (session: SessionRecord) => boolean;
};

const MAX_DEPTH = 4; // deeper ones are beneath the same line
const DAY = 86_400_000;

type Family = { readonly top: SessionRecord; readonly newest: number };

export function listRows(sessions: readonly SessionRecord[], options: ListOptions): ListRow[] {
  const below = branchesOf(sessions);
  const tops = sessions.filter((session) => isTop(session, sessions, below));
  const families = tops
    .map((top): Family => ({ top, newest: newestIn(top, below) }))
    .toSorted((a, b) => b.newest - a.newest);
  const pinned = families.filter(({ top }) => top.pinned);
  const rest = families.filter(({ top }) => !top.pinned);
  const groups: [string, Family[]][] = [
    ["Pinned", pinned],
    ...(options.projects.length > 0 ? byProject(rest, options) : byDay(rest, options)),
  ];
  return groups.flatMap(([text, members]) =>
    members.length === 0
      ? []
      : [
          { kind: "head" as const, key: `head:${text}`, text },
          ...members.flatMap(({ top }) => rowsOf(top, below, options)),
        ],
  );
}

type Below = ReadonlyMap<string, readonly SessionRecord[]>;

function branchesOf(sessions: readonly SessionRecord[]): Below {
  const branches = sessions.filter(({ parent_session_id, pinned }) => parent_session_id && !pinned);
  return Map.groupBy(branches, ({ parent_session_id }) => parent_session_id ?? "");
}

/** Not below another listed session. A pinned branch is a top row. */
function isTop(session: SessionRecord, all: readonly SessionRecord[], below: Below): boolean {
  const { parent_session_id: parent, pinned } = session;
  if (parent === null || pinned) return true;
  return !(below.get(parent)?.includes(session) && known(all).has(parent));
}

const ids = new WeakMap<readonly SessionRecord[], Set<string>>();
function known(all: readonly SessionRecord[]): Set<string> {
  let set = ids.get(all);
  if (!set) {
    set = new Set(all.map(({ session_id }) => session_id));
    ids.set(all, set);
  }
  return set;
}

function newestIn(top: SessionRecord, below: Below, depth = 0): number {
  if (depth > 50) return top.updated_at; // nobody branches in a circle, but nothing here proves it
  const branches = below.get(top.session_id) ?? [];
  return Math.max(top.updated_at, ...branches.map((each) => newestIn(each, below, depth + 1)));
}

function rowsOf(session: SessionRecord, below: Below, options: ListOptions, depth = 0): ListRow[] {
  const branches = depth > 50 ? [] : (below.get(session.session_id) ?? []);
  const folded = branches.length > 0 && options.folded.has(session.session_id);
  const shown = branches.flatMap((branch) => {
    const rows = rowsOf(branch, below, options, depth + 1);
    return folded
      ? rows.filter((row) => row.kind === "session" && options.keep(row.session))
      : rows;
  });
  const { session_id: key } = session;
  const row = { kind: "session" as const, key, session, branches: branches.length, folded };
  return [{ ...row, depth: Math.min(depth, MAX_DEPTH) }, ...shown];
}

function byDay(families: readonly Family[], { now }: ListOptions): [string, Family[]][] {
  const midnight = new Date(now).setHours(0, 0, 0, 0);
  const dayOf = ({ newest }: Family): string => {
    if (newest * 1_000 >= midnight) return "Today";
    return newest * 1_000 >= midnight - DAY ? "Yesterday" : "Earlier";
  };
  const days = Map.groupBy(families, dayOf);
  return ["Today", "Yesterday", "Earlier"].map((day) => [day, days.get(day) ?? []]);
}

/** The most recently used project comes first. */
function byProject(families: readonly Family[], { projects }: ListOptions): [string, Family[]][] {
  const names = new Map(projects.map(({ project_id, name }) => [project_id, name]));
  const nameOf = ({ top }: Family) => names.get(top.project_id ?? "") ?? "No project";
  return [...Map.groupBy(families, nameOf)];
}

/** Ignores case and accents. */
export function titleHas(title: string, words: string): boolean {
  return plain(title).includes(plain(words));
}

function plain(text: string): string {
  return text.normalize("NFD").replaceAll(/\p{M}/gu, "").toLowerCase();
}

/** Merges lists; of a session in several, the first entry wins. */
export function merged(...lists: readonly (readonly SessionRecord[])[]): SessionRecord[] {
  const all = new Map<string, SessionRecord>();
  for (const list of lists) {
    for (const session of list) {
      if (!all.has(session.session_id)) all.set(session.session_id, session);
    }
  }
  return [...all.values()].toSorted((a, b) => b.updated_at - a.updated_at);
}
