// Asks whether to roll back files too; hidden if there are none.
import { plural } from "../text/format.ts";
import { Checkbox } from "../ui/form.tsx";

type FilesChoiceProps = {
  count: number;
  chosen: boolean;
  what?: "it" | "they"; // changed them
  onChange: (chosen: boolean) => void;
};

export function FilesChoice({ count, chosen, what = "it", onChange }: FilesChoiceProps) {
  if (count === 0) return null;
  return (
    <Checkbox checked={chosen} onChange={onChange}>
      Also roll back the {plural(count, "file")} {what} changed
    </Checkbox>
  );
}
