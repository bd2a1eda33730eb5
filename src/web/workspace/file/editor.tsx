// Edits a file. Saving over a newer version is a conflict that the person decides; the text stays.
import { useEffect, useRef } from "react";
import type { FileText } from "../../../kernel/api/records/records.ts";
import { useAction } from "../../keys/actions.ts";
import { Button } from "../../ui/button.tsx";
import { Problem } from "../../ui/problem.tsx";
import { forFile, lineEndsOf, type LineEnds } from "../line-ends.ts";
import { useDraft } from "../use-draft.ts";
import { useSave, useText, type Saving } from "../use-save.ts";
import styles from "../editor.module.css";

type EditorProps = { sessionId: string; path: string; onClose: (saved: boolean) => void };

export function FileEditor(props: EditorProps) {
  const { value: file, problem } = useText(props.sessionId, props.path);
  if (!file && problem === null)
    return <p className="stack items-start gap-m p-l muted">Reading…</p>;
  const ends = file && lineEndsOf(file.text);
  if (file && ends !== null) return <Fields {...props} ends={ends} file={file} />;
  return (
    <div className="stack items-start gap-m p-l muted">
      <Problem text={problem ?? MIXED} />
      <Button onClick={() => props.onClose(false)}>Back to the file</Button>
    </div>
  );
}

const MIXED =
  "This file mixes line endings, which a text field cannot keep, so it cannot be edited here.";

function Fields({ sessionId, path, file, ends, onClose }: EditorProps & Looked) {
  const draft = useDraft(sessionId, file);
  const { problem, saving, busy, save } = useSave(sessionId, path);
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);
  const isSaved = saving.state === "saved";
  useEffect(() => {
    if (!isSaved) return;
    draft.forget();
    onClose(true);
  }, [isSaved, draft, onClose]);
  useAskBeforeLeaving(draft.changed && !isSaved);
  const content = () => forFile(draft.text, ends);
  const send = () => {
    if (!busy && draft.changed) save(content(), draft.over);
  };
  const title = "Save the file";
  useAction({ id: "file.save", title, section: "View", keys: ["mod+s"], run: send });
  const leave = () => {
    draft.forget();
    onClose(false);
  };
  return (
    <div className={styles.editor}>
      <textarea
        ref={field}
        className={styles.field}
        aria-label="Content of the file"
        value={draft.text}
        spellCheck={false}
        autoCapitalize="off"
        autoComplete="off"
        readOnly={busy}
        onChange={(event) => draft.setText(event.target.value)}
      />
      <Problem text={problem} />
      {saving.state === "conflict" && (
        <Conflict found={saving.found} onOver={(found) => save(content(), found)} />
      )}
      <Actions {...{ saving, busy }} changed={draft.changed} onSave={send} onLeave={leave} />
    </div>
  );
}

type Looked = { file: FileText; ends: LineEnds };
type ActionsProps = {
  saving: Saving;
  busy: boolean;
  changed: boolean;
  onSave: () => void;
  onLeave: () => void;
};

function Actions({ saving, busy, changed, onSave, onLeave }: ActionsProps) {
  const behind = saving.state === "waiting" && saving.behind;
  const words = behind ? "Saving… it waits for the active run." : "Saving…";
  return (
    <div className="row flex-wrap gap-m">
      <Button tone="primary" disabled={busy || !changed} onClick={onSave}>
        Save
      </Button>
      <Button disabled={busy} onClick={onLeave}>
        {changed ? "Discard" : "Back to the file"}
      </Button>
      <span className={styles.note} role="status">
        {busy && words}
      </span>
    </div>
  );
}

type ConflictProps = { found: string | null; onOver: (found: string | null) => void };

/** Overwrites exactly the version found; a further change is another conflict. */
function Conflict({ found, onOver }: ConflictProps) {
  return (
    <div className="row flex-wrap gap-m p-l rounded warn-soft" role="alert">
      <p className="grow-200">
        The file was {found === null ? "removed" : "changed"} meanwhile. Nothing was saved, and your
        text is still here.
      </p>
      <Button tone="danger" onClick={() => onOver(found)}>
        Overwrite
      </Button>
    </div>
  );
}

/** The browser asks before unsaved text is lost. */
function useAskBeforeLeaving(unsaved: boolean): void {
  useEffect(() => {
    if (!unsaved) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", ask);
    return () => window.removeEventListener("beforeunload", ask);
  }, [unsaved]);
}
