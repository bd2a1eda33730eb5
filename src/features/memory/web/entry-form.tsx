// Form for one memory entry. The text stays until the parent removes the form.
import { useState } from "react";
import { Form, TextField } from "../../../web/ui/form.tsx";
import { Button } from "../../../web/ui/button.tsx";
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
