// Keys of the timeline while it is on the screen.
import { useEffect, useState } from "react";
import { useAction } from "../keys/actions.ts";
import type { Option, Options } from "./use-options.ts";
import type { Walk } from "./use-walk.ts";
import type { Zoom } from "./use-zoom.ts";

type Keys = {
  readonly walk: Walk;
  readonly zoom: Zoom;
  readonly options: Options;
  readonly toggle: (option: Option) => void;
};

const VIEW = "View" as const;

export function useTimelineKeys({ walk, zoom, options, toggle }: Keys): void {
  useWalkKeys(walk);
  const table = options.table ? "A table has no zoom" : null;
  useAction({
    id: "timeline.fit",
    title: "Timeline: fit",
    section: VIEW,
    keys: ["f", "0"],
    unavailable: table,
    run: zoom.fit,
  });
  useAction({
    id: "timeline.in",
    title: "Timeline: zoom in",
    section: VIEW,
    keys: ["+", "="],
    unavailable: table,
    run: () => zoom.by(2),
  });
  useAction({
    id: "timeline.out",
    title: "Timeline: zoom out",
    section: VIEW,
    keys: ["-"],
    unavailable: table,
    run: () => zoom.by(0.5),
  });
  useAction({
    id: "timeline.compress",
    title: `Timeline: ${options.compress ? "show" : "compress"} idle time`,
    section: VIEW,
    keys: ["c"],
    run: () => toggle("compress"),
  });
  useAction({
    id: "timeline.critical",
    title: `Timeline: ${options.critical ? "hide" : "mark"} the critical path`,
    section: VIEW,
    keys: ["p"],
    run: () => toggle("critical"),
  });
  useAction({
    id: "timeline.table",
    title: `Timeline: show as a ${options.table ? "chart" : "table"}`,
    section: VIEW,
    keys: ["t"],
    run: () => toggle("table"),
  });
}

function useWalkKeys(walk: Walk): void {
  const free = useFreeFocus();
  useAction({
    id: "timeline.next",
    title: "Timeline: next span",
    section: VIEW,
    keys: ["j"],
    run: () => walk.step(1),
  });
  useAction({
    id: "timeline.previous",
    title: "Timeline: previous span",
    section: VIEW,
    keys: ["k"],
    run: () => walk.step(-1),
  });
  useAction({
    id: "timeline.outwards",
    title: "Timeline: to what it is part of, or to the left",
    section: VIEW,
    keys: ["h"],
    run: walk.outwards,
  });
  useAction({
    id: "timeline.inwards",
    title: "Timeline: into the subagent, or to the right",
    section: VIEW,
    keys: ["l"],
    run: walk.inwards,
  });
  useAction({
    id: "timeline.open",
    title: "Timeline: open the selection in the chat",
    section: VIEW,
    keys: free ? ["enter", "o"] : ["o"],
    unavailable: walk.current ? null : "Nothing is selected",
    run: walk.open,
  });
}

/** False while a focused control uses Enter itself. */
function useFreeFocus(): boolean {
  const [free, setFree] = useState(true);
  useEffect(() => {
    const look = () => {
      const { activeElement } = document;
      setFree(activeElement === document.body || activeElement?.role === "treegrid");
    };
    look();
    document.addEventListener("focusin", look);
    document.addEventListener("focusout", look);
    return () => {
      document.removeEventListener("focusin", look);
      document.removeEventListener("focusout", look);
    };
  }, []);
  return free;
}
