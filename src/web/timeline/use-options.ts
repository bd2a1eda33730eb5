// Options of the timeline, remembered by this browser.
import { useCallback, useState } from "react";
import { recall, remember } from "../storage.ts";

export const OPTIONS = ["compress", "critical", "table"] as const;
export type Option = (typeof OPTIONS)[number];
export type Options = Readonly<Record<Option, boolean>>;

const KEY = "timeline";

export function useOptions(): [Options, (option: Option) => void] {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(
    () => new Set(recall(KEY)?.split(" ") ?? []),
  );
  const toggle = useCallback((option: Option) => {
    setChosen((before) => {
      const next = new Set(before);
      if (!next.delete(option)) next.add(option);
      remember(KEY, [...next].join(" "));
      return next;
    });
  }, []);
  const options = {
    compress: chosen.has("compress"),
    critical: chosen.has("critical"),
    table: chosen.has("table"),
  };
  return [options, toggle];
}
