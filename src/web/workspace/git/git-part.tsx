// Git state of the workspace: uncommitted changes and commits, each with its diff.
import { useMemo, useState, type ReactNode } from "react";
import { manualCalls, type GitDiffQuery } from "../../../kernel/client/calls/manual-calls.ts";
import type {
  GitCommit,
  GitEntry,
  FileDiff,
  GitFileDiff,
} from "../../../kernel/api/records/records.ts";
import { visibleLine } from "../../../kernel/text/visible-text.ts";
import { useCalls } from "../../app-context.ts";
import { useSource } from "../../session/use-session.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { Problem } from "../../ui/problem.tsx";
import { Time } from "../../ui/time.tsx";
import { describeEntry, requestOf } from "./git-labels.ts";
import { openFile, visiblePath } from "../open-file.ts";
import { useQuery } from "../../use-query.ts";
import styles from "./git.module.css";
import { DiffOf } from "../../files/diff.tsx";

const COMMITS = 10;

/** A new `version` means files have changed. */
export function GitPart({ version }: { version: number }) {
  const { sessionId } = useSource();
  const own = useCalls(manualCalls);
  const [turn, setTurn] = useState(0);
  const again = () => setTurn(turn + 1);
  const key = `${sessionId} ${version} ${turn}`;
  const status = useQuery([sessionId], (signal) => own.gitStatus(sessionId, signal), {
    version: key,
  });
  if (status.problem !== null) {
    return (
      <Frame note={null} onAgain={again}>
        <Problem text={`Git failed: ${status.problem}`} />
      </Frame>
    );
  }
  const view = status.value;
  if (!view) return <Frame note={null} onAgain={again} />;
  if (!view.repository) {
    return (
      <Frame note={null} onAgain={again}>
        <p className="hint">{view.message}</p>
      </Frame>
    );
  }
  const where = view.branch ?? (view.head ? `at ${view.head.slice(0, 10)}` : "no branch");
  return (
    <Frame note={visibleLine(where)} onAgain={again}>
      {view.entries.length === 0 ? (
        <p className="hint">Everything is committed.</p>
      ) : (
        <ul className="stack min-w-0 plain-list" aria-label="Not committed">
          {view.entries.map((entry) => (
            <Entry
              key={`${entry.index}${entry.worktree}${entry.path}`}
              {...{ entry, version: key }}
            />
          ))}
        </ul>
      )}
      {view.truncated && <p className="hint">There are more than are listed.</p>}
      <Commits version={key} />
    </Frame>
  );
}

type FrameProps = { note: string | null; onAgain: () => void; children?: ReactNode };

function Frame({ note, onAgain, children }: FrameProps) {
  const label = "Refresh";
  return (
    <section className="stack gap-m min-w-0 p-l line-above" aria-label="Git">
      <header className={styles.head}>
        <h2>Git</h2>
        {note !== null && <code className="flex-1 min-w-0 muted ellipsis">{note}</code>}
        <IconButton icon="again" title={label} label={label} onClick={onAgain} />
      </header>
      {children}
    </section>
  );
}

function Entry({ entry, version }: { entry: GitEntry; version: string }) {
  const request = requestOf(entry);
  const words = describeEntry(entry);
  return (
    <Row
      version={version}
      request={request}
      onPlain={() => openFile(entry.path)}
      isFolder={entry.path.endsWith("/")}
    >
      <span className={styles.letters} data-kind={words.kind} title={words.long}>
        {words.short}
      </span>
      <code className="flex-1 min-w-0 break-anywhere">
        {visiblePath(entry.path)}
        {entry.from !== null && ` ← ${visiblePath(entry.from)}`}
      </code>
    </Row>
  );
}

function Commits({ version }: { version: string }) {
  const { sessionId } = useSource();
  const own = useCalls(manualCalls);
  const [limit, setLimit] = useState(COMMITS);
  const log = useQuery(
    [sessionId],
    (signal) => own.gitLog(sessionId, { limit, offset: 0 }, signal),
    { version: `${version} ${limit}` },
  );
  if (log.problem !== null) return <Problem text={log.problem} />;
  const view = log.value;
  if (!view?.repository || view.commits.length === 0) return null;
  return (
    <>
      <h3 className={styles.title}>Last commits</h3>
      <ul className="stack min-w-0 plain-list" aria-label="Last commits">
        {view.commits.map((commit) => (
          <Commit key={commit.commit} {...{ commit, version }} />
        ))}
      </ul>
      {view.next_offset !== null && limit < 200 && (
        <Button tone="quiet" onClick={() => setLimit(Math.min(200, limit + 40))}>
          Show older ones
        </Button>
      )}
    </>
  );
}

function Commit({ commit, version }: { commit: GitCommit; version: string }) {
  return (
    <Row version={version} request={{ of: "commit", commit: commit.commit }}>
      <code className="flex-none muted">{commit.commit.slice(0, 7)}</code>
      <span className={styles.subject}>{visibleLine(commit.subject)}</span>
      <span className="w-full hint">
        {visibleLine(commit.author)} · <Time at={commit.at} />
        {commit.refs.length > 0 && ` · ${visibleLine(commit.refs.join(", "))}`}
      </span>
    </Row>
  );
}

type RowProps = {
  version: string;
  request: GitDiffQuery | null;
  onPlain?: () => void;
  isFolder?: boolean;
  children: ReactNode;
};

/** With a request it expands its diff; an untracked file opens as a file. */
function Row({ version, request, onPlain, isFolder = false, children }: RowProps) {
  const [open, setOpen] = useState(false);
  const press = () => (request ? setOpen(!open) : onPlain?.());
  return (
    <li>
      <button
        type="button"
        className={styles.row}
        disabled={request === null && isFolder}
        {...(request && { "aria-expanded": open })}
        onClick={press}
      >
        {children}
      </button>
      {open && request && <GitDiff {...{ request, version }} />}
    </li>
  );
}

function GitDiff({ request, version }: { request: GitDiffQuery; version: string }) {
  const { sessionId } = useSource();
  const own = useCalls(manualCalls);
  const { value, problem, refresh } = useQuery(
    [sessionId, request],
    (signal) => own.gitDiff(sessionId, request, signal),
    { version },
  );
  const view = useMemo(() => {
    if (!value) return null;
    if (!value.repository) return { files: [], truncated: false };
    return { files: value.files.map(asDiff), truncated: value.truncated };
  }, [value]);
  return <DiffOf read={{ value: view, problem, refresh }} />;
}

const SOME = { sha256: "", bytes: 0, mode: 0 };

function asDiff({ path, what, text, added, removed, binary, truncated }: GitFileDiff): FileDiff {
  const before = what === "added" ? null : SOME;
  const after = what === "deleted" ? null : SOME;
  return { path, workspace: "", before, after, text, added, removed, binary, truncated };
}
