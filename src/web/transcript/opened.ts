// Which undone runs are open. Kept by the transcript: its rows come and go with scrolling.
import { createContext, useContext } from "react";

type Opened = {
  readonly opened: ReadonlySet<string>;
  readonly setOpened: (opened: ReadonlySet<string>) => void;
};

export const OpenedContext = createContext<Opened>({ opened: new Set(), setOpened: () => {} });

export function useOpened(runId: string): readonly [boolean, () => void] {
  const { opened, setOpened } = useContext(OpenedContext);
  const isOpen = opened.has(runId);
  const toggle = () => {
    const next = new Set(opened);
    if (isOpen) next.delete(runId);
    else next.add(runId);
    setOpened(next);
  };
  return [isOpen, toggle];
}
