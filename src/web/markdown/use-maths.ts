// Draws formulas once the library for it is here; until then, and if it never comes, their source is shown.
import { useEffect, useState } from "react";
import type { DrawFormula } from "./blocks.ts";

let loaded: DrawFormula | null = null;

export function useMaths(wanted: boolean): DrawFormula | null {
  const [draw, setDraw] = useState<DrawFormula | null>(() => loaded);
  useEffect(() => {
    if (!wanted || draw) return;
    let gone = false;
    import("./maths.ts").then(
      ({ drawFormula }) => {
        loaded = drawFormula;
        if (!gone) setDraw(() => drawFormula);
      },
      () => {}, // not to be had: the source stays
    );
    return () => {
      gone = true;
    };
  }, [wanted, draw]);
  return draw;
}
