// How a subagent's card draws the items of its run: the transcript hands its own row down, so that
// cards need not know the transcript.
import { createContext, type ComponentType } from "react";

export const ItemContext = createContext<ComponentType<{ runId: string; index: number }> | null>(
  null,
);
