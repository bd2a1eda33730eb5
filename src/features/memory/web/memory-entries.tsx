// The entries of one memory store: add, edit, remove, and undo the last change.
import { useState } from "react";
import { visibleText } from "../../../kernel/text/visible-text.ts";
import { Button, IconButton } from "../../../web/ui/button.tsx";
import { Problem } from "../../../web/ui/problem.tsx";
import styles from "./memory-page.module.css";
import { Form, TextField } from "../../../web/ui/form.tsx";
import { isComposing } from "../../../web/keys/composing.ts";
import type { memoryCalls } from "../client.ts";
import type { ChangedMemory, ProfileMemory } from "../records.ts";
import { useMutation } from "../../../web/use-mutation.ts";

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
          <li key={entry} className="flex items-start gap-s line-below py-s">
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
      <IconButton icon="pencil" label="Edit" disabled={busy} onClick={onEdit} />
      <IconButton icon="trash" label="Remove" disabled={busy} onClick={onRemove} />
    </>
  );
}

// Form for one memory entry. The text stays until the parent removes the form.
type EntryFormProps = {
  label: string;
  value: string;
  busy: boolean;
  onSave: (text: string) => void;
  onCancel?: () => void;
};

function EntryForm({ label, value, busy, onSave, onCancel }: EntryFormProps) {
  const [text, setText] = useState(value);
  const isNew = onCancel === undefined;
  return (
    <Form className="stack gap-m flex-1" onSubmit={() => onSave(text.trim())}>
      <TextField
        label={label}
        rows={isNew ? 2 : 3}
        maxLength={4_000}
        value={text}
        onKeyDown={(event) => {
          if (event.key === "Escape" && !isComposing(event.nativeEvent)) onCancel?.();
        }}
        onChange={setText}
      />
      <div className="row flex-wrap gap-m">
        <Button type="submit" disabled={busy || text.trim() === "" || text.trim() === value}>
          {isNew ? "Add" : "Save"}
        </Button>
        {onCancel && <Button onClick={onCancel}>Cancel</Button>}
      </div>
    </Form>
  );
}

// Changes to the entries of one store, one at a time, with undo of the last one.
type Calls = ReturnType<typeof memoryCalls>;
type EntriesProps = { memory: ProfileMemory; calls: Calls; onChanged: () => void };
/** Restores the previous state. */
type Undo = { readonly words: string; readonly run: () => Promise<ChangedMemory> };

function useMemoryChanges({ memory, calls, onChanged }: EntriesProps) {
  const { profile, target } = memory;
  const task = useMutation();
  const [editing, setEditing] = useState<string | null>(null);
  const [undo, setUndo] = useState<Undo | null>(null);
  const [added, setAdded] = useState(0);
  const change = (
    work: () => Promise<ChangedMemory>,
    back?: (done: ChangedMemory) => Undo | null,
  ) =>
    task.run(
      () => work().finally(onChanged), // a conflict too is news
      (done) => {
        setEditing(null);
        setUndo(back?.(done) ?? null);
      },
    );
  const add = (text: string) =>
    change(
      () => calls.add(profile, { target, text }),
      (done) => {
        setAdded(added + 1);
        const old = newIn(done, memory); // as it was kept, which need not be as it was typed
        if (old === undefined) return null;
        return { words: "Added.", run: () => calls.remove(profile, { target, old }) };
      },
    );
  const replace = (was: string, text: string) =>
    change(
      () => calls.replace(profile, { target, old: was, text }),
      (done) => {
        const old = newIn(done, memory);
        if (old === undefined) return null;
        return { words: "Changed.", run: () => calls.replace(profile, { target, old, text: was }) };
      },
    );
  const remove = (old: string) =>
    change(
      () => calls.remove(profile, { target, old }),
      () => ({ words: "Removed.", run: () => calls.add(profile, { target, text: old }) }),
    );
  const takeBack = undo && { words: undo.words, run: () => change(undo.run) };
  return { task, editing, setEditing, added, add, replace, remove, takeBack };
}

function newIn({ memory }: ChangedMemory, before: ProfileMemory): string | undefined {
  return memory.entries.findLast((entry) => !before.entries.includes(entry));
}
