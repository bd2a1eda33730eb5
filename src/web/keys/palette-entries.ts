// The entries of the palette for a query; without one: available actions and recent sessions.
import type { SessionRecord } from "../../kernel/client/records.ts";
import type { SearchHit } from "../../kernel/api/records/search.ts";
import { visibleLine } from "../../kernel/text/visible-text.ts";
import { KIND_ICONS } from "../search-results/hit-kinds.ts";
import type { IconName } from "../ui/icon.tsx";
import { adjust, navigate } from "../use-route.ts";
import type { Action } from "./actions.ts";
import { ranked } from "./rank.ts";

export type Entry = {
  readonly id: string;
  readonly title: string;
  readonly detail?: string | undefined;
  readonly keys?: string | undefined;
  readonly icon?: IconName;
  readonly hit?: SearchHit; // shown with its marks instead of the title
  readonly unavailable?: string | null;
  readonly run: () => void;
};
export type EntrySection = {
  readonly title: string;
  readonly entries: readonly Entry[];
  readonly from: number; // how many entries stand before it
};

const MAX_SESSIONS = 8;
const MAX_FILES = 12;

type Asked = {
  readonly query: string;
  readonly actions: readonly Action[];
  readonly sessions: readonly SessionRecord[];
  readonly files: readonly string[];
  readonly hits?: readonly SearchHit[];
};

export function sectionsOf({
  query,
  actions,
  sessions,
  files,
  hits = [],
}: Asked): readonly EntrySection[] {
  const named = ranked(sessions.map(toSession), query, titleOf);
  const sections = [
    { title: "Actions", entries: ranked(likelyFirst(actions).map(toAction), query, titleOf) },
    { title: "Sessions", entries: named.slice(0, MAX_SESSIONS) },
    { title: "Files", entries: files.slice(0, MAX_FILES).map(toFile) },
    { title: "Messages", entries: hits.map(toHit) },
  ].filter(({ entries }) => entries.length > 0);
  let from = 0;
  return sections.map((section) => {
    const placed = { ...section, from };
    from += section.entries.length;
    return placed;
  });
}

const titleOf = ({ title }: Entry) => title;

/** Urgent actions first, unavailable ones last, without the palette itself. */
function likelyFirst(actions: readonly Action[]): readonly Action[] {
  const place = ({ section, unavailable }: Action) => (unavailable ? 2 : section === "Run" ? 0 : 1);
  return actions.filter(({ id }) => id !== "page.palette").toSorted((a, b) => place(a) - place(b));
}

function toAction({ id, title, keys, unavailable = null, run }: Action): Entry {
  return { id, title, keys: keys?.[0], unavailable, detail: unavailable ?? undefined, run };
}

function toSession({ session_id: sessionId, title }: SessionRecord): Entry {
  return {
    id: `session ${sessionId}`,
    title: visibleLine(title) || "Untitled session",
    run: () => navigate({ page: "session", sessionId }),
  };
}

function toFile(path: string): Entry {
  return {
    id: `file ${path}`,
    title: visibleLine(path),
    run: () => adjust({ panel: "files", path, line: undefined }),
  };
}

function toHit(hit: SearchHit): Entry {
  const { session_id: sessionId, run_id: runId, seq, kind, title, snippet } = hit;
  return {
    id: `hit ${runId} ${seq}`,
    title: visibleLine(snippet),
    detail: visibleLine(title) || "Untitled session",
    icon: KIND_ICONS[kind],
    hit,
    run: () => navigate({ page: "session", sessionId, runId, seq }),
  };
}
