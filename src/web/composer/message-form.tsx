// The message field with its files, completion, status line and keys.
import { useEffect, useLayoutEffect, useRef, type ComponentType, type ReactNode } from "react";
import { useApp } from "../app-context.ts";
import { Recordable } from "../../features/voice/web/recordable.tsx";
import { IconButton } from "../ui/button.tsx";
import { attachFiles, removeFile, type Dropped } from "./attach.ts";
import { AttachmentTray } from "./attachment-tray.tsx";
import styles from "./composer.module.css";
import { DropZone } from "./drop-zone.tsx";
import { LIST_ID, optionId, SlashList } from "./slash/slash-list.tsx";
import { takeWantedFocus } from "./wanted-focus.ts";
import { useMessageForm, type FormOptions, type MessageForm as Form } from "./use-message-form.ts";

export type ComposerFormProps = FormOptions & {
  placeholder: string;
  takesFiles: boolean;
  /** Replaces the line of keys. */
  hint?: string | null | undefined;
  keys: string;
  note?: string | null | undefined; // what became of the last command
  problem?: string | null | undefined;
  children?: ReactNode;
};

/** Adds a button to the row of actions, and takes the place of the row while it works: a recording. */
type RowFrame = ComponentType<{
  place: string;
  onOver: (problem: string | null) => void;
  children: (button: ReactNode) => ReactNode;
}>;
const FRAMES: readonly RowFrame[] = [Recordable];
const [Frame] = FRAMES;

export function ComposerForm(props: ComposerFormProps) {
  const { place, takesFiles, children } = props;
  const { outbox } = useApp();
  const form = useMessageForm(props);
  const attach = (files: readonly File[], folders = 0) => {
    const problem = attachFiles(place, outbox.uploads, files);
    const folder = folders > 0 ? "Folders cannot be attached: drop the files in them." : null;
    form.complain([folder, problem].filter(Boolean).join(" ") || null);
  };
  const empty = form.draft.text.trim() === "" && form.draft.files.length === 0;
  const row = (button: ReactNode) => (
    <>
      {takesFiles && <AttachButton onFiles={attach} />}
      {takesFiles && button}
      <Words {...props} problem={form.problem ?? props.problem} />
      {children}
    </>
  );
  return (
    <form
      className={styles.composer}
      onSubmit={(event) => {
        event.preventDefault();
        form.submit("usual");
      }}
    >
      {takesFiles && <DropZone onDrop={({ files, folders }: Dropped) => attach(files, folders)} />}
      <div className={styles.box}>
        {form.completion && (
          <SlashList completion={form.completion} active={form.active} onChoose={form.choose} />
        )}
        <AttachmentTray
          files={form.draft.files}
          uploads={outbox.uploads}
          onRemove={(fileId) => removeFile(place, outbox.uploads, fileId)}
        />
        <Field
          form={form}
          place={place}
          placeholder={props.placeholder}
          onPaste={takesFiles ? attach : null}
        />
        <div className={styles.actions}>
          {Frame ? (
            <Frame key={place} place={place} onOver={form.complain}>
              {row}
            </Frame>
          ) : (
            row(null)
          )}
          <IconButton type="submit" tone="primary" icon="send" label="Send" disabled={empty} />
        </div>
      </div>
    </form>
  );
}

type FieldProps = {
  form: Form;
  place: string;
  placeholder: string;
  onPaste: ((files: readonly File[]) => void) | null;
};

function Field({ form, place, placeholder, onPaste }: FieldProps) {
  const { draft, completion, active } = form;
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => grow(field.current), [draft.text]);
  useLayoutEffect(() => {
    if (!field.current || !takeWantedFocus(place)) return;
    field.current.focus({ preventScroll: true });
    field.current.setSelectionRange(field.current.value.length, field.current.value.length);
  }, [place]);
  return (
    <textarea
      ref={field}
      id="composer"
      data-place={place}
      className={styles.field}
      rows={1}
      value={draft.text}
      placeholder={placeholder}
      aria-label="Message"
      aria-describedby="composer-keys"
      aria-autocomplete="list"
      {...(completion && { "aria-controls": LIST_ID })}
      {...(completion && active >= 0 && { "aria-activedescendant": optionId(active) })}
      onChange={(event) => form.write(event.target.value)}
      onKeyDown={form.onKeyDown}
      onPaste={(event) => {
        // A copied table comes as text and as a picture: use the text.
        const files = [...event.clipboardData.files];
        const words = event.clipboardData.getData("text/plain");
        if (!onPaste || files.length === 0 || words !== "") return;
        event.preventDefault();
        onPaste(files);
      }}
    />
  );
}

/** For browsers without `field-sizing`. */
function grow(field: HTMLTextAreaElement | null): void {
  if (!field || CSS.supports("field-sizing", "content")) return;
  field.style.height = "auto";
  field.style.height = `${field.scrollHeight}px`;
}

/** One line: a problem, a note, a hint, or the keys. */
function Words({ problem, note, hint, keys }: ComposerFormProps) {
  const said = note ?? hint;
  return (
    <span className={styles.words}>
      {problem && (
        <span className={styles.note} role="alert">
          {problem}
        </span>
      )}
      {!problem && said && <span className={styles.hint}>{said}</span>}
      <span id="composer-keys" className={problem || said ? "visually-hidden" : styles.keys}>
        {keys}
      </span>
      <span className="visually-hidden" role="status">
        {!problem && note}
      </span>
    </span>
  );
}

function AttachButton({ onFiles }: { onFiles: (files: readonly File[]) => void }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label="Files"
        onChange={(event) => {
          onFiles([...(event.target.files ?? [])]);
          event.target.value = ""; // the same file may be chosen again
        }}
      />
      <IconButton
        icon="clip"
        label="Attach files"
        title="Attach files"
        onClick={() => input.current?.click()}
      />
    </>
  );
}
