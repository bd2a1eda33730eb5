// The live region that speaks the milestones.
import { useEffect, useState } from "react";
import { heardOf, milestone } from "./milestones.ts";
import { useLiveStore } from "./use-session.ts";

export function Announcer() {
  const store = useLiveStore();
  const [spoken, setSpoken] = useState("");
  useEffect(() => {
    let heard = heardOf(store.getState());
    return store.subscribe(() => {
      const view = store.getState();
      const next = milestone(heard, view);
      heard = heardOf(view);
      if (next !== null) setSpoken(next);
    });
  }, [store]);
  return (
    <p className="visually-hidden" role="status" aria-label="Milestones">
      {spoken}
    </p>
  );
}
