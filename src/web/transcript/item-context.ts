// How a subagent's card draws the items of its run: the transcript hands its own rows down, so that cards
// need not know the transcript.
import { createContext, type ReactNode } from "react";

/** All items of a run from `from` on, in groups. */
export type DrawItems = (runId: string, from: number) => ReactNode;
export const ItemsContext = createContext<DrawItems>(() => null);
