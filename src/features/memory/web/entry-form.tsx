// Form for one memory entry. The text stays until the parent removes the form.
import { useState } from "react";
import { Button } from "../../../web/ui/button.tsx";
import form from "../../../web/ui/form.module.css";
import { isComposing } from "../../../web/keys/composing.ts";

type EntryFormProps = {
  label: string;
  value: string;
  busy: boolean;
  onSave: (text: string) => void;
  onCancel?: () => void;
};

export function EntryForm({ label, value, busy, onSave, onCancel }: EntryFormProps) {
  const [text, setText] = useState(value);
  const isNew = onCancel === undefined;
  return (
    <form
      className="stack gap-m flex-1"
      onSubmit={(event) => {
        event.preventDefault();
        onSave(text.trim());
      }}
    >
      <label className={form.field}>
        <span>{label}</span>
        <textarea
          rows={isNew ? 2 : 3}
          maxLength={4_000}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === "Escape" && !isComposing(event.nativeEvent)) onCancel?.();
          }}
        />
      </label>
      <div className="row flex-wrap gap-m">
        <Button type="submit" disabled={busy || text.trim() === "" || text.trim() === value}>
          {isNew ? "Add" : "Save"}
        </Button>
        {onCancel && <Button onClick={onCancel}>Cancel</Button>}
      </div>
    </form>
  );
}
