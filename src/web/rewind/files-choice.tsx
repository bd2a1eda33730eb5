// Asks whether to roll back files too; hidden if there are none.
import { plural } from "../text/format.ts";
import form from "../ui/form.module.css";

type FilesChoiceProps = {
  count: number;
  chosen: boolean;
  what?: "it" | "they"; // changed them
  onChange: (chosen: boolean) => void;
};

export function FilesChoice({ count, chosen, what = "it", onChange }: FilesChoiceProps) {
  if (count === 0) return null;
  return (
    <label className={form.check}>
      <input
        type="checkbox"
        checked={chosen}
        onChange={(event) => onChange(event.target.checked)}
      />
      Also roll back the {plural(count, "file")} {what} changed
    </label>
  );
}
