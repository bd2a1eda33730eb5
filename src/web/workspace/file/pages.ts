// A file by pages of lines, loaded near the screen, with bounded memory. A changed file is read again: versions
// are never mixed.
import { toApiFailure } from "../../../kernel/client/api-failure.ts";
import { createListeners, immediately } from "../../../kernel/client/listeners.ts";
import type { FileView } from "../../../kernel/api/records/records.ts";
import type { CodeLine } from "../../markdown/highlight.ts";

export const PAGE = 500;
const KEPT = 40;
const ALL_BYTES = 2_000_000; // as much as is copied at once

export type FileInfo = Omit<FileView, "text" | "first_line" | "lines" | "cut_lines">;
export type Page = {
  readonly lines: readonly string[];
  readonly cut: ReadonlySet<number>;
  readonly tokens: readonly CodeLine[] | null;
};
export type FileState = {
  readonly info: FileInfo | null;
  readonly problem: string | null;
  readonly missing: boolean; // there is no such file: asking again would not help
  readonly pages: ReadonlyMap<number, Page>;
  /** Number of lines, as far as known. */
  readonly count: number;
};
export type FilePages = {
  readonly get: () => FileState;
  readonly subscribe: (listener: () => void) => () => void;
  /** Requests these lines; earlier requests that have not started are dropped. */
  readonly want: (first: number, last: number) => void;
  readonly again: () => void;
  /** The whole file; null if it is too large. */
  readonly all: () => Promise<string | null>;
  readonly close: () => void;
};
export type PagesOptions = {
  readonly read: (from: number, lines: number, signal: AbortSignal) => Promise<FileView>;
  readonly colour: (text: string) => Promise<readonly CodeLine[]> | null;
};

const START: FileState = { info: null, problem: null, missing: false, pages: new Map(), count: 0 };

export function openPages(options: PagesOptions): FilePages {
  const stop = new AbortController();
  const listeners = createListeners(immediately);
  let state = START;
  let wanted: number[] = [0];
  let working = false;
  let reading = newReading(); // what an earlier one still brings is old
  const change = (next: Partial<FileState>) => {
    if (stop.signal.aborted) return;
    state = { ...state, ...next };
    listeners.notify();
  };

  async function load(number: number, of: Reading): Promise<void> {
    const page = await readPage(options.read, number, stop.signal);
    if (of !== reading) return;
    of.pages.add(number);
    change(withPage(state, { ...page, number, wanted }));
    const tokens = await options.colour(page.lines.join("\n"));
    const known = state.pages.get(number);
    if (tokens && known?.lines === page.lines) {
      change({ pages: new Map(state.pages).set(number, { ...known, tokens }) });
    }
  }

  const next = () => {
    if (stop.signal.aborted || reading.failed) return undefined;
    return wanted.find((number) => !reading.pages.has(number) || !state.pages.has(number));
  };
  async function work(): Promise<void> {
    if (working) return;
    working = true;
    for (let number = next(); number !== undefined; number = next()) {
      const of = reading;
      try {
        await load(number, of);
      } catch (error) {
        if (of !== reading) continue;
        of.failed = true;
        change(problemOf(error));
      }
    }
    working = false; // in the same breath as the last look: what is wanted from here on starts it again
  }
  const start = () => void work(); // it does not reject
  start();

  return {
    get: () => state,
    subscribe: listeners.subscribe,
    want(first, last) {
      wanted = pagesOf(first, last);
      start();
    },
    again() {
      reading = newReading();
      start();
    },
    all: () => readAll(state, (number) => readPage(options.read, number, stop.signal)),
    close: () => stop.abort(),
  };
}

function problemOf(error: unknown): Partial<FileState> {
  const { code, message } = toApiFailure(error);
  if (code === "not_found") return { problem: "There is no such file.", missing: true };
  return { problem: message, missing: false };
}

function pagesOf(first: number, last: number): number[] {
  const pages = [Math.floor((first - 1) / PAGE), Math.floor((last - 1) / PAGE)];
  return [...new Set(pages)].filter((number) => number >= 0);
}

/** Pages of earlier versions stay visible until theirs are loaded. */
type Reading = { readonly pages: Set<number>; failed: boolean };
const newReading = (): Reading => ({ pages: new Set(), failed: false });

type Loaded = Awaited<ReturnType<typeof readPage>> & {
  readonly number: number;
  readonly wanted: readonly number[];
};

/** A new version discards all known pages. */
function withPage(state: FileState, { info, lines, cut, number, wanted }: Loaded): FileState {
  const isSame = info.version === state.info?.version;
  const pages = new Map(isSame ? state.pages : []);
  if (!pages.has(number)) pages.set(number, { lines, cut, tokens: null }); // the same keeps its colours
  for (const [old] of pages) if (pages.size > KEPT && !wanted.includes(old)) pages.delete(old);
  const more = lines.length === PAGE ? 1 : 0; // there may be more than is known
  const known = Math.max(isSame ? state.count : 0, number * PAGE + lines.length + more);
  return { info, problem: null, missing: false, pages, count: info.total_lines ?? known };
}

async function readAll(
  { info, count, pages }: FileState,
  read: (number: number) => Promise<Pick<Page, "lines">>,
): Promise<string | null> {
  if ((info?.bytes ?? 0) > ALL_BYTES) return null;
  const parts: string[] = [];
  for (let number = 0; number * PAGE < count; number += 1) {
    parts.push(...(pages.get(number) ?? (await read(number))).lines);
  }
  return parts.length === 0 ? "" : `${parts.join("\n")}\n`;
}

/** With long lines the server returns fewer of them. */
async function readPage(read: PagesOptions["read"], number: number, signal: AbortSignal) {
  const lines: string[] = [];
  const cut = new Set<number>();
  for (;;) {
    const from = number * PAGE + lines.length + 1;
    const view = await read(from, PAGE - lines.length, signal);
    const { text, first_line: _first, lines: count, cut_lines, ...info } = view;
    if (count > 0) lines.push(...text.split("\n"));
    for (const line of cut_lines) cut.add(line);
    const isEnd = info.total_lines !== null && from + count > info.total_lines;
    if (count === 0 || isEnd || lines.length >= PAGE) return { info, lines, cut };
  }
}
