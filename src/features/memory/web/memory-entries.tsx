// The entries of one memory store: add, edit, remove, and undo the last change.
import { visibleText } from "../../../kernel/text/visible-text.ts";
import { Button } from "../../../web/ui/button.tsx";
import { Problem } from "../../../web/ui/problem.tsx";
import { EntryForm } from "./entry-form.tsx";
import styles from "./memory-page.module.css";
import { useMemoryChanges, type EntriesProps } from "./use-memory-changes.ts";

export function MemoryEntries(props: EntriesProps) {
  const entries = [...new Set(props.memory.entries)]; // the same twice is one to whoever reads it
  const changes = useMemoryChanges(props);
  const { task, editing, setEditing, takeBack } = changes;
  // Somebody changed the entry that is being edited: keep the text, and let saving report the conflict.
  const isGone = editing !== null && !entries.includes(editing);
  const shown = isGone ? [...entries, editing] : entries;
  return (
    <>
      {entries.length === 0 && <p className="muted">Nothing yet.</p>}
      <ul className="stack plain-list" data-part="entries">
        {shown.map((entry) => (
          <li key={entry} className={styles.entry}>
            {editing === entry ? (
              <EntryForm
                label={isGone ? "Entry (it was changed meanwhile)" : "Entry"}
                value={entry}
                busy={task.busy}
                onSave={(text) => changes.replace(entry, text)}
                onCancel={() => setEditing(null)}
              />
            ) : (
              <Shown
                entry={entry}
                busy={task.busy}
                onEdit={() => setEditing(entry)}
                onRemove={() => changes.remove(entry)}
              />
            )}
          </li>
        ))}
      </ul>
      <Problem text={task.problem} />
      <div className="row gap-m target muted" role="status">
        {takeBack && (
          <>
            {takeBack.words}{" "}
            <Button tone="quiet" icon="back" disabled={task.busy} onClick={takeBack.run}>
              Undo
            </Button>
          </>
        )}
      </div>
      <EntryForm
        key={changes.added}
        label="New entry"
        value=""
        busy={task.busy}
        onSave={changes.add}
      />
    </>
  );
}

type ShownProps = { entry: string; busy: boolean; onEdit: () => void; onRemove: () => void };

function Shown({ entry, busy, onEdit, onRemove }: ShownProps) {
  return (
    <>
      <span className={styles.text}>{visibleText(entry)}</span>
      <Button
        tone="quiet"
        size="icon"
        icon="pencil"
        aria-label="Edit"
        disabled={busy}
        onClick={onEdit}
      />
      <Button
        tone="quiet"
        size="icon"
        icon="trash"
        aria-label="Remove"
        disabled={busy}
        onClick={onRemove}
      />
    </>
  );
}
