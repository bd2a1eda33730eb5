// Which sheet is open. Kept outside the transcript, whose rows unmount while scrolling.
import { createContext, useContext } from "react";

/** What each kind of sheet is about. Features add theirs, each in a file of its own (`declare module`). */
export interface SheetSubjects {
  changes: { readonly runId: string };
  undo: { readonly runId: string };
  retry: { readonly runId: string };
  rerun: { readonly runId: string };
  branch: { readonly runId: string };
  turns: object;
  settings: object;
}
export type OpenSheet = {
  [Kind in keyof SheetSubjects]: { readonly kind: Kind } & SheetSubjects[Kind];
}[keyof SheetSubjects];

export type OpenSheetFn = (sheet: OpenSheet) => void;

export const SheetContext = createContext<OpenSheetFn>(() => {});

export function useOpenSheet(): OpenSheetFn {
  return useContext(SheetContext);
}
