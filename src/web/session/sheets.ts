// Which sheet is open over a session. Kept outside the transcript, because its rows come and go with
// scrolling and what a person writes must not.
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
