// One diff of git's, shown like every other.
import { useMemo } from "react";
import { manualCalls, type GitDiffQuery } from "../../../kernel/client/calls/manual-calls.ts";
import type { FileDiff, GitFileDiff } from "../../../kernel/api/records/records.ts";
import { useApp } from "../../app-context.ts";
import { DiffOf } from "../../files/diff.tsx";
import { useSource } from "../../session/use-session.ts";
import { useQuery } from "../../use-query.ts";

export function GitDiff({ request, version }: { request: GitDiffQuery; version: string }) {
  const { sessionId } = useSource();
  const { api } = useApp();
  const own = useMemo(() => manualCalls(api.calls), [api]);
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
