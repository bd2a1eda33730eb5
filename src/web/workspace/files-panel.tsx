// The files panel: tree, search and open file. Past moments show files as far as the journal knows them.
import { useMemo, useState } from "react";
import type { FindQuery } from "../../kernel/client/calls/workspace-calls.ts";
import { useDiff } from "../files/use-diff.ts";
import { useAction } from "../keys/actions.ts";
import { useFold, useLive, useSource } from "../session/use-session.ts";
import { plural } from "../text/format.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { useRoute, adjust } from "../use-route.ts";
import {
  changesFold,
  changing,
  netChanges,
  type ChangingCall,
  type NetChange,
} from "./changes/changes-fold.ts";
import { FileLink } from "./file/link.tsx";
import { FileTree, type Marks } from "./file/tree.tsx";
import { FileViewer } from "./file/viewer.tsx";
import { FindBox } from "./find-box.tsx";
import { FoundList } from "./found-list.tsx";
import { closeFile, visiblePath, nameOf } from "./open-file.ts";
import { ROOT } from "./tree-rows.ts";
import { useFolders } from "./use-folders.ts";
import { useLate } from "./use-late.ts";
import styles from "./files-panel.module.css";
import type { FindView } from "../../kernel/api/records/records.ts";
import { useApp } from "../app-context.ts";
import { useQuery, type Query } from "../use-query.ts";
import { useChangeSteps } from "./changes/change-steps.ts";

export function FilesPanel() {
  const { sessionId, at } = useSource();
  const route = useRoute();
  const { path, line } = route.page === "session" ? route : {};
  const [request, setRequest] = useState<FindQuery>({ q: "" });
  const here = JSON.stringify([path, line]);
  // The file that was open when the search began; a newly opened file closes the search.
  const [searchedAt, setSearchedAt] = useState<string | null>(null);
  const search = () => setSearchedAt(here);
  const finding = useFind(sessionId, request);
  const changes = useFold(changesFold, ({ calls }) => calls);
  const ofFile = path === undefined ? [] : changing(changes, path);

  const results = request.q !== "" && searchedAt === here;
  const backToResults = { label: "Back to what was found", go: search };
  const backToTree = { label: "Back to all files", go: closeFile };
  return (
    <div className="stack fill">
      <FindBox
        request={request}
        onFocus={search}
        onRequest={(next) => {
          setRequest(next);
          search();
        }}
      />
      {at !== null && <HistoryBar search={results} path={results ? undefined : path} />}
      {results && (
        <FoundList
          finding={finding}
          words={request.regex ? "" : request.q}
          onOpen={() => setSearchedAt(null)}
        />
      )}
      {!results && path !== undefined && (
        <FileViewer
          key={path}
          {...{ sessionId, path, line }}
          version={ofFile.length}
          until={at === null ? undefined : lastOf(ofFile)}
          back={request.q === "" ? backToTree : backToResults}
        />
      )}
      {!results && path === undefined && <Tree sessionId={sessionId} />}
    </div>
  );
}

function Tree({ sessionId }: { sessionId: string }) {
  const { at } = useSource();
  const workspace = useLive(({ session }) => session.workspace); // at the very beginning it has none yet
  const calls = useFold(changesFold, (state) => state.calls);
  const net = useMemo(() => netChanges(calls), [calls]);
  const [hidden, setHidden] = useState(false);
  const until = at === null ? undefined : lastOf(calls);
  const tree = useFolders({ sessionId, hidden, version: calls.length, until });
  const root = tree.folders.get(ROOT);
  const isLate = useLate(root === undefined);
  const marks = useMarks(net, { version: calls.length, until });
  useAction({
    id: "files.refresh",
    title: "Read the files again",
    section: "View",
    run: tree.refresh,
  });
  return (
    <>
      <div className={styles.bar}>
        <span className={styles.place} title={visiblePath(workspace)}>
          {visiblePath(workspace)}
        </span>
        <Button tone="quiet" aria-pressed={hidden} onClick={() => setHidden(!hidden)}>
          Hidden
        </Button>
        <IconButton
          icon="again"
          label="Read the files again"
          title="Read the files again"
          onClick={tree.refresh}
        />
      </div>
      {at !== null && <ChangedThen net={net} />}
      {root === undefined && isLate && (
        <p className="stack items-start gap-m p-l muted">Reading the folder…</p>
      )}
      {root?.state === "failed" && (
        <div className="stack items-start gap-m p-l muted">
          <p role="alert">{root.message}</p>
          <Button icon="again" onClick={tree.refresh}>
            Try again
          </Button>
        </div>
      )}
      {root?.state === "listed" && root.entries.length === 0 && (
        <p className="stack items-start gap-m p-l muted">
          The workspace is empty{hidden ? "" : ", but for hidden files perhaps"}.
        </p>
      )}
      {root?.state === "listed" && root.entries.length > 0 && (
        <FileTree tree={tree} marks={marks} />
      )}
    </>
  );
}

type Request = { version: number; until: number | undefined };

/** Files changed up to the shown moment; line counts once the diff is loaded. */
function useMarks(net: readonly NetChange[], { version, until }: Request): Marks {
  const { value: view } = useDiff({ until }, version);
  return useMemo(
    () => ({
      changes: new Map(net.map(({ path, what }) => [path, what])),
      counts: new Map(
        (view?.files ?? [])
          .filter(({ binary, truncated }) => !binary && !truncated)
          .map(({ path, added, removed }) => [path, { added, removed }]),
      ),
    }),
    [net, view],
  );
}

/** Same between two changes, so scrubbing there needs no request. */
function lastOf(calls: readonly ChangingCall[]): number {
  return calls.at(-1)?.sessionSeq ?? 0;
}

/** Closed by default: a changing list would move the tree while scrubbing. */
function ChangedThen({ net }: { net: readonly NetChange[] }) {
  if (net.length === 0) return <p className={styles.then}>No files had been changed yet.</p>;
  const deleted = net.filter(({ what }) => what === "deleted").length;
  return (
    <details className={styles.then}>
      <summary>
        {plural(net.length, "file")} changed by then{deleted > 0 && `, ${deleted} of them deleted`}
      </summary>
      <ul>
        {net.slice(0, 100).map(({ path, what }) => (
          <li key={path}>
            <FileLink path={path} /> {what}
          </li>
        ))}
      </ul>
    </details>
  );
}

const PAUSE_MS = 200;

/** Searches the workspace, debounced; aborts an outdated search. */
function useFind(sessionId: string, { q, glob, regex = false }: FindQuery): Query<FindView> {
  const { api } = useApp();
  return useQuery(
    q === "" ? null : [sessionId, q, glob, regex],
    (signal) => api.find(sessionId, { q, glob, regex }, signal),
    { delayMs: PAUSE_MS, keep: true },
  );
}

// Above past files: which moment is shown, and steps between changes. On phones the panel covers the scrubber.
/** `path`: the open file. */
function HistoryBar({ path, search }: { path: string | undefined; search: boolean }) {
  const { earlier, later } = useChangeSteps(path);
  const of = path === undefined ? "any file" : visiblePath(nameOf(path));
  return (
    <div className={styles.past}>
      <p>
        {search
          ? "Results from the current files."
          : "As it was at this moment. What no tool of this session changed is as it is now."}
      </p>
      <div className={styles.steps}>
        <Step to={earlier} title={`Before the last change of ${of}`} words="Earlier change" />
        <Step to={later} title={`After the next change of ${of}`} words="Later change" />
        <Button tone="quiet" icon="play" onClick={() => adjust({ at: undefined })}>
          Now
        </Button>
      </div>
    </div>
  );
}

type StepProps = { to: number | null; title: string; words: string };

function Step({ to, title, words }: StepProps) {
  const go = () => to !== null && adjust({ at: to });
  return (
    // Not disabled, because that would lose the focus.
    <Button tone="quiet" aria-disabled={to === null} title={title} onClick={go}>
      {words}
    </Button>
  );
}
