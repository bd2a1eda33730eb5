// Server logs, live. Secrets are redacted before a line is written.
import { useMemo, useState } from "react";
import { logsCalls, type LogQuery } from "../client.ts";
import type { LogLineRecord } from "../records.ts";
import { visibleLine } from "../../../kernel/text/visible-text.ts";
import { useApp } from "../../../web/app-context.ts";
import { AdminPage } from "../../../web/admin/admin-page.tsx";
import { bytes } from "../../../web/text/format.ts";
import form from "../../../web/ui/form.module.css";
import { Problem } from "../../../web/ui/problem.tsx";
import styles from "./logs-page.module.css";
import { useLog } from "./use-log.ts";

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
  const { api } = useApp();
  const calls = useMemo(() => logsCalls(api.calls), [api]);
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
          <select
            value={level}
            onChange={(event) => setLevel(event.target.value as LogQuery["level"])}
          >
            {LEVELS.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        <label className={`${form.field} ${styles.words}`}>
          <span>Filter</span>
          <input type="search" value={words} onChange={(event) => setWords(event.target.value)} />
        </label>
        <label className={form.check}>
          <input type="checkbox" checked={follow} onChange={() => setFollow(!follow)} /> Follow
        </label>
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
