// Marks: index words that no person writes, which narrow a search without reading every row. Each begins with the same
// three private characters, so that the prefix index has one entry for all of them.
import { hash } from "node:crypto";

const OWN = "\uE0C5".repeat(3);
const DAY = 86_400;
const DAYS_A_BLOCK = 32;
/** With more marks than this, the index does not help. */
const MAX = 64;

export type Marked = {
  readonly kind: string;
  readonly role: string;
  readonly tool: string;
  readonly profile: string;
  readonly workspace: string;
  readonly session_key: number;
  readonly at: number;
};

export const markOf = {
  kind: (kind: string) => `${OWN}k${kind}`,
  role: (role: string) => `${OWN}r${role}`,
  tool: (tool: string) => `${OWN}t${short(tool)}`,
  profile: (profile: string) => `${OWN}p${short(profile)}`,
  workspace: (workspace: string) => `${OWN}w${short(workspace)}`,
  session: (session_key: number) => `${OWN}s${session_key}`,
  bucket: (bucket: number) => `${OWN}b${bucket < 0 ? "n" : "p"}${Math.abs(bucket)}`,
  day: (day: number) => `${OWN}d${day}`,
  days: (block: number) => `${OWN}e${block}`,
};

export function marksOf({ kind, role, tool, profile, workspace, session_key, at }: Marked) {
  const day = dayOf(at);
  return [
    markOf.kind(kind),
    markOf.role(role),
    ...(tool === "" ? [] : [markOf.tool(tool)]),
    markOf.profile(profile),
    markOf.workspace(workspace),
    markOf.session(session_key),
    markOf.day(day),
    markOf.days(Math.floor(day / DAYS_A_BLOCK)),
  ];
}

/** The marks of a period: each row has one of them; undefined if there are too many. */
export function marksBetween(since: number, until: number): readonly string[] | undefined {
  const [first, last] = [dayOf(Math.max(0, since)), dayOf(Math.max(0, until))];
  const few = named(first, last, markOf.day);
  return (
    few ?? named(Math.floor(first / DAYS_A_BLOCK), Math.floor(last / DAYS_A_BLOCK), markOf.days)
  );
}

function named(first: number, last: number, mark: (each: number) => string) {
  if (!(last - first < MAX)) return undefined;
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => mark(first + index));
}

function dayOf(at: number): number {
  return Math.max(0, Math.floor(at / DAY));
}

const known = new Map<string, string>();

/** Names are hashed, because they have any characters and length. */
function short(name: string): string {
  let mark = known.get(name);
  if (mark === undefined) {
    if (known.size > 1_000) known.clear();
    known.set(name, (mark = hash("sha1", name).slice(0, 12)));
  }
  return mark;
}
