// The tab's connection and session list for React, while logged in.
import { useCallback, useEffect, useRef, useSyncExternalStore } from "react";
import type { Api } from "../kernel/client/api.ts";
import type { SessionRecord } from "../kernel/client/records.ts";
import { takeOpened } from "./first-screen.ts";
import { openPageFeed, type PageFeed } from "./page-feed.ts";
import { useResource } from "./use-resource.ts";

export function usePageFeed(api: Api, onLoggedOut: () => void): PageFeed | null {
  const open = useCallback(() => takeOpened() ?? openPageFeed(api), [api]);
  const page = useResource(open);
  useEffect(() => {
    if (!page) return;
    const { getStatus, subscribe } = page.feed;
    const check = () => {
      const { state, failure } = getStatus();
      if (state === "denied" && failure?.status === 401) onLoggedOut();
    };
    check();
    return subscribe(check);
  }, [page, onLoggedOut]);
  return page;
}

/** The same list unless something other than token counts changed. */
export function useSessionList(page: PageFeed | null): readonly SessionRecord[] | null {
  const shown = useRef<readonly SessionRecord[] | null>(null);
  const read = useCallback(() => {
    const next = page?.board.getState().sessions ?? null;
    if (!next || !shown.current || !looksSame(next, shown.current)) shown.current = next;
    return shown.current;
  }, [page]);
  return useSyncExternalStore(page?.board.subscribe ?? nothing, read);
}

const nothing = () => () => undefined;

function looksSame(next: readonly SessionRecord[], before: readonly SessionRecord[]): boolean {
  if (next === before) return true;
  return (
    next.length === before.length && next.every((record, index) => sameLooks(record, before[index]))
  );
}

function sameLooks(next: SessionRecord, before: SessionRecord | undefined): boolean {
  if (next === before) return true;
  return before !== undefined && looksOf(next) === looksOf(before);
}

function looksOf({ seq: _seq, updated_at: _at, ...rest }: SessionRecord): string {
  return JSON.stringify(rest);
}
