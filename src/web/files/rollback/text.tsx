// What a rollback does to each file, and what blocks it.
import type { ReactNode } from "react";
import { plural } from "../../text/format.ts";
import { visibleLine } from "../../../kernel/text/visible-text.ts";
import type { RollbackResult } from "./result.ts";
import styles from "../rollback.module.css";
import { own } from "../../../kernel/events/own.ts";

const CONFLICT: Readonly<Record<string, string>> = {
  changed_since: "was changed since, not by this agent",
  created_since: "is there now, not made by this agent",
  removed_since: "was removed since",
  changed_between: "was changed in between by someone else",
  is_link: "is a link now, or in a folder that is one",
  is_directory: "is a folder now",
  content_not_kept: "its earlier content is no longer kept",
};
const LISTED = 50;

type Tense = "would" | "did";

export function RollbackText({ result, tense }: { result: RollbackResult; tense: Tense }) {
  const { restored, removed, conflicts, truncated } = result;
  const nothing = restored.length + removed.length + conflicts.length === 0;
  return (
    <div className={styles.words}>
      {nothing && <p>Every file is already as it was before.</p>}
      <Paths
        paths={restored}
        title={`${plural(restored.length, "file")} ${tense === "would" ? "will be restored" : "restored"}`}
      />
      <Paths
        paths={removed}
        title={`${plural(removed.length, "file")} ${tense === "would" ? "will be deleted (created by the agent)" : "deleted (created by the agent)"}`}
      />
      {conflicts.length > 0 && (
        <section className="p-bar rounded warn-soft" aria-label="Conflicts">
          <p>
            <strong>{plural(conflicts.length, "file stands", "files stand")} in the way</strong>, so
            nothing {tense === "would" ? "would be" : "was"} rolled back:
          </p>
          <ul>
            {conflicts.slice(0, LISTED).map(({ path, reason }) => (
              <li key={path}>
                <code>{visibleLine(path)}</code> {own(CONFLICT, reason) ?? visibleLine(reason)}
              </li>
            ))}
          </ul>
          <Rest count={conflicts.length - LISTED} />
        </section>
      )}
      {truncated && <p className="hint">There are more files than are listed.</p>}
    </div>
  );
}

function Paths({ paths, title }: { paths: readonly string[]; title: ReactNode }) {
  if (paths.length === 0) return null;
  return (
    <section>
      <p>{title}</p>
      <ul>
        {paths.slice(0, LISTED).map((path) => (
          <li key={path}>
            <code>{visibleLine(path)}</code>
          </li>
        ))}
      </ul>
      <Rest count={paths.length - LISTED} />
    </section>
  );
}

function Rest({ count }: { count: number }) {
  return count > 0 ? <p className="hint">and {count} more</p> : null;
}
