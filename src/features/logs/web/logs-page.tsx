// Server logs, live. Secrets are redacted before a line is written.
import { useState, useEffect } from "react";
import { Checkbox, Select } from "../../../web/ui/form.tsx";
import { logsCalls, type LogQuery } from "../client.ts";
import type { LogLineRecord, LogsView } from "../records.ts";
import { visibleLine } from "../../../kernel/text/visible-text.ts";
import { useCalls } from "../../../web/app-context.ts";
import { AdminPage } from "../../../web/admin/admin-page.tsx";
import { bytes } from "../../../web/text/format.ts";
import form from "../../../web/ui/form.module.css";
import { Problem } from "../../../web/ui/problem.tsx";
import styles from "./logs-page.module.css";
import { toApiFailure } from "../../../kernel/client/api-failure.ts";

const KINDS: Readonly<Record<string, string>> = {
  errors: "Errors",
  serve: "Server",
  work: "Runner",
  tool_debug: "Tool calls",
  cron: "Schedules",
  gateway: "Messengers",
};
const LEVELS = ["debug", "info", "warn", "error"] as const;

export function LogsPage() {
  const calls = useCalls(logsCalls);
  const [kind, setKind] = useState<LogQuery["kind"]>("errors");
  const [level, setLevel] = useState<LogQuery["level"]>("debug");
  const [follow, setFollow] = useState(true);
  const [words, setWords] = useState("");
  const { lines, kinds, lost, problem } = useLog(calls.logs, kind, level, follow);
  const shown = lines && matching(lines, words);
  return (
    <AdminPage name="logs" wide>
      <div className={styles.bar}>
        <label className={form.field}>
          <span>Log</span>
          <select
            value={kind}
            onChange={(event) => setKind(event.target.value as LogQuery["kind"])}
          >
            {Object.entries(KINDS).map(([name, label]) => (
              <option key={name} value={name}>
                {label}
                {sizeOf(kinds, name)}
              </option>
            ))}
          </select>
        </label>
        <label className={form.field}>
          <span>Level</span>
          <Select value={level} values={LEVELS} onChange={setLevel} />
        </label>
        <label className={`${form.field} ${styles.words}`}>
          <span>Filter</span>
          <input type="search" value={words} onChange={(event) => setWords(event.target.value)} />
        </label>
        <Checkbox checked={follow} onChange={() => setFollow(!follow)}>
          Follow
        </Checkbox>
      </div>
      <Problem text={problem} />
      {lost && <p role="status">Some lines were dropped before they could be read.</p>}
      {shown === null && !problem && <p>Loading…</p>}
      {shown?.length === 0 && <p className="muted">{whyNone({ kind, level, words })}</p>}
      <ol className="plain-list small mono" data-part="log" aria-label={KINDS[kind]}>
        {shown?.toReversed().map((line, at) => (
          <Line key={`${line.at} ${line.pid} ${shown.length - at}`} line={line} />
        ))}
      </ol>
    </AdminPage>
  );
}

/** Only an unfiltered list of errors is good news when it is empty. */
function whyNone({ kind, level, words }: { kind: string; level: string; words: string }): string {
  if (words.trim() !== "") return "No lines match.";
  if (kind === "errors") return "No errors.";
  return level === "debug" ? "Nothing is logged here yet." : `No line is at least “${level}”.`;
}

function sizeOf(kinds: readonly { kind: string; bytes: number }[], name: string): string {
  const size = kinds.find(({ kind }) => kind === name)?.bytes ?? 0;
  return size > 0 ? ` (${bytes(size)})` : "";
}

function matching(lines: readonly LogLineRecord[], words: string): readonly LogLineRecord[] {
  const wanted = words.trim().toLowerCase();
  if (wanted === "") return lines;
  return lines.filter((line) => JSON.stringify(line).toLowerCase().includes(wanted));
}

function Line({ line }: { line: LogLineRecord }) {
  const { at, level, kind, pid, message, error, fields } = line;
  const about = Object.entries(fields ?? {}).map(
    ([name, value]) => `${name}=${JSON.stringify(value)}`,
  );
  return (
    <li className={styles.line} data-level={level}>
      <span className="muted break-anywhere">
        <time dateTime={at}>{at && new Date(at).toLocaleString()}</time> {level} {kind} {pid}
      </span>
      <span className="break-anywhere">{visibleLine(message)}</span>
      {about.length > 0 && (
        <span className="muted break-anywhere">{visibleLine(about.join("  "))}</span>
      )}
      {error && (
        <details>
          <summary>Where it happened</summary>
          <pre>{error}</pre>
        </details>
      )}
    </li>
  );
}

// The newest lines of a log, followed live. Bounded, so that a tab left open does not grow forever.
const KEPT = 2_000;
const AGAIN_MS = 2_000;

type ShownLog = {
  readonly lines: readonly LogLineRecord[] | null; // null: not read yet
  readonly kinds: LogsView["kinds"];
  readonly lost: boolean;
  readonly problem: string | null;
};
type Ask = (query: LogQuery, signal: AbortSignal) => Promise<LogsView>;
const NOTHING: ShownLog = { lines: null, kinds: [], lost: false, problem: null };

/** `ask` must be stable. */
function useLog(
  ask: Ask,
  kind: LogQuery["kind"],
  level: LogQuery["level"],
  follow: boolean,
): ShownLog {
  const [shown, setShown] = useState(NOTHING);
  useEffect(() => {
    const stop = new AbortController();
    const read = async () => {
      let after: string | undefined;
      while (!stop.signal.aborted) {
        try {
          const waits = after !== undefined;
          const view: LogsView = await ask({ kind, level, after, follow: waits }, stop.signal);
          const first = after === undefined;
          after = view.next;
          setShown((before) => withPage(first ? NOTHING : before, view));
          if (!follow) return;
        } catch (error) {
          if (stop.signal.aborted) return;
          const problem = toApiFailure(error).message;
          setShown((before) => ({ ...before, problem }));
          if (!follow) return;
          await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
        }
      }
    };
    void read();
    return () => stop.abort();
  }, [ask, kind, level, follow]);
  return shown;
}

function withPage(before: ShownLog, { lines, kinds, lost }: LogsView): ShownLog {
  const all = [...(before.lines ?? []), ...lines].slice(-KEPT);
  return { lines: all, kinds, lost: before.lost || lost, problem: null };
}
