// The button that opens the comparison of a run.
import type { ComponentProps } from "react";
import { Button } from "../../../web/ui/button.tsx";
import { adjust } from "../../../web/use-route.ts";

type CompareButtonProps = Omit<ComponentProps<typeof Button>, "icon" | "onClick"> & {
  runId: string;
  other?: string; // the run it is compared with
};

export function CompareButton({ runId, other, ...looks }: CompareButtonProps) {
  return (
    <Button
      icon="columns"
      onClick={(event) => {
        event.stopPropagation(); // a row around it would be chosen too
        adjust({ view: "compare", runId, seq: undefined, ...(other && { with: other }) });
      }}
      {...looks}
    >
      <span>Compare</span>
    </Button>
  );
}
