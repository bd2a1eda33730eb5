// Downloads the shown rows as CSV.
import type { InsightsView } from "../records.ts";
import { Button } from "../../../web/ui/button.tsx";
import { toCsv } from "./figures.ts";

export function Download({ view }: { view: InsightsView }) {
  const save = () => {
    const file = new Blob([toCsv(view)], { type: "text/csv;charset=utf-8" });
    const url = URL.createObjectURL(file);
    const link = document.createElement("a");
    link.href = url;
    link.download = `quarterdeck-${view.by}-${view.from}-${view.to}.csv`;
    link.click();
    URL.revokeObjectURL(url);
  };
  return (
    <Button tone="quiet" icon="down" onClick={save} aria-label={`Download by ${view.by} as CSV`}>
      CSV
    </Button>
  );
}
