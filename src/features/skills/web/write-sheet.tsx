import { useState } from "react";
import { useMutation } from "../../../web/use-mutation.ts";
import { Button } from "../../../web/ui/button.tsx";
import form from "../../../web/ui/form.module.css";
import { Problem } from "../../../web/ui/problem.tsx";
import { Sheet } from "../../../web/ui/sheet.tsx";
import type { SkillCalls } from "./skill-sheet.tsx";

export type SkillFormProps = {
  profile: string;
  calls: SkillCalls;
  onClose: () => void;
  onDone: (name: string) => void;
};

const FIELDS = [
  { field: "name", label: "Name: small letters, digits, - and _", max: 64 },
  { field: "description", label: "Description (agents use this to choose it)", max: 1_024 },
  { field: "category", label: "Category (optional)", max: 64 },
] as const;
const EMPTY = { name: "", description: "", category: "", content: "" };

export function WriteSheet({ profile, calls, onClose, onDone }: SkillFormProps) {
  const [draft, setDraft] = useState(EMPTY);
  const task = useMutation();
  const { name, description, category, content } = draft;
  const set = (change: Partial<typeof EMPTY>) => setDraft({ ...draft, ...change });
  const whole = [name, description, content].every((text) => text.trim() !== "");
  const save = () => {
    const kind = category.trim();
    const wanted = { name: name.trim(), description, content, ...(kind && { category: kind }) };
    task.run(
      () => calls.create(profile, wanted),
      ({ skill }) => onDone(skill.name),
    );
  };
  return (
    <Sheet title="Write a skill" size="wide" onClose={onClose}>
      <form
        className="stack gap-l"
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        {FIELDS.map(({ field, label, max }) => (
          <label key={field} className={form.field}>
            <span>{label}</span>
            <input
              value={draft[field]}
              maxLength={max}
              onChange={(event) => set({ [field]: event.target.value })}
            />
          </label>
        ))}
        <label className={form.field}>
          <span>Text, in Markdown</span>
          <textarea
            className="mono"
            rows={12}
            value={content}
            onChange={(event) => set({ content: event.target.value })}
          />
        </label>
        <Problem text={task.problem} />
        <div className="row flex-wrap gap-m">
          <Button type="submit" tone="primary" disabled={task.busy || !whole}>
            Save
          </Button>
        </div>
      </form>
    </Sheet>
  );
}
