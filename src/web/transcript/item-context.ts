// How a subagent's card draws its items: passed down, so that cards do not import the transcript.
import { createContext, type ReactNode } from "react";

export type DrawItems = (runId: string, from: number) => ReactNode;
export const ItemsContext = createContext<DrawItems>(() => null);
