// Folders of the workspace, loaded when expanded and after changes. Old entries stay visible while loading.
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { toApiFailure } from "../../kernel/client/api-failure.ts";
import type { Moment } from "../../kernel/client/calls/workspace-calls.ts";
import { useApp } from "../app-context.ts";
import { ROOT, type Folder, type Folders } from "./tree-rows.ts";

const opened = new Map<string, ReadonlySet<string>>(); // by session: a panel that comes back is as it was
const NONE: ReadonlySet<string> = new Set();
const EMPTY: Folders = new Map();
const AT_ONCE = 4; // the server reads for others too

export type FolderTree = {
  readonly folders: Folders;
  readonly open: ReadonlySet<string>;
  readonly toggle: (path: string) => void;
  readonly refresh: () => void;
};

type TreeOptions = { sessionId: string; hidden: boolean; version: number } & Moment;

/** A new `version` means files have changed. */
export function useFolders({ sessionId, hidden, version, until }: TreeOptions): FolderTree {
  const { api } = useApp();
  const [folders, setFolders] = useState(EMPTY);
  const [open, setOpen] = useState(opened.get(sessionId) ?? NONE);
  const [round, setRound] = useState(0);
  const wanted = useMemo(() => [ROOT, ...open].join("\0"), [open]);

  const load = useCallback(
    async (path: string, signal: AbortSignal) => {
      const found = await api.files(sessionId, { path, hidden, until }, signal).then(
        ({ entries, truncated }): Folder => ({ state: "listed", entries, truncated }),
        (error: unknown): Folder => ({ state: "failed", message: toApiFailure(error).message }),
      );
      if (!signal.aborted) setFolders((known) => new Map(known).set(path, found));
    },
    [api, sessionId, hidden, until],
  );
  const generation = `${round} ${version}`;
  const asked = useRef({ load, generation, paths: new Set<string>() });
  useEffect(() => {
    if (asked.current.load !== load || asked.current.generation !== generation) {
      asked.current = { load, generation, paths: new Set() };
    }
    const { paths } = asked.current;
    const waiting = wanted.split("\0").filter((path) => !paths.has(path));
    for (const path of waiting) paths.add(path);
    const stop = new AbortController();
    const work = async () => {
      for (let path = waiting[0]; path !== undefined; path = waiting[0]) {
        waiting.shift();
        underWay.add(path);
        await load(path, stop.signal);
        underWay.delete(path);
      }
    };
    const underWay = new Set<string>();
    Promise.all(Array.from({ length: AT_ONCE }, work)).catch(() => undefined); // none rejects
    return () => {
      for (const path of [...waiting.splice(0), ...underWay]) paths.delete(path);
      stop.abort();
    };
  }, [load, wanted, generation]);

  const toggle = useCallback(
    (path: string) =>
      setOpen((before) => {
        const next = new Set(before);
        if (!next.delete(path)) next.add(path);
        opened.set(sessionId, next);
        return next;
      }),
    [sessionId],
  );
  const refresh = useCallback(() => setRound((before) => before + 1), []);
  return { folders, open, toggle, refresh };
}
