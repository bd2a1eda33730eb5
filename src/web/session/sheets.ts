// Which sheet is open. Kept outside the transcript, whose rows unmount while scrolling.
import { createContext, useContext } from "react";

export type OpenSheet =
  | { readonly kind: "changes"; readonly runId: string }
  | { readonly kind: "undo"; readonly runId: string }
  | { readonly kind: "retry"; readonly runId: string }
  | { readonly kind: "rerun"; readonly runId: string }
  | { readonly kind: "branch"; readonly runId: string }
  | { readonly kind: "export"; readonly runId: string | null }
  | { readonly kind: "turns" }
  | { readonly kind: "settings" };

export type OpenSheetFn = (sheet: OpenSheet) => void;

export const SheetContext = createContext<OpenSheetFn>(() => {});

export function useOpenSheet(): OpenSheetFn {
  return useContext(SheetContext);
}
