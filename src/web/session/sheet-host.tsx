// Draws the open sheet. Sheets are loaded on first use.
import { Suspense, type ComponentType } from "react";
import { lazyPart } from "../ui/lazy-part.ts";
import { ErrorBoundary } from "../ui/error-boundary.tsx";
import type { OpenSheet } from "./sheets.ts";

export type SheetProps<Kind extends OpenSheet["kind"]> = Extract<OpenSheet, { kind: Kind }> & {
  readonly sessionId: string;
  readonly onClose: () => void;
};
type Sheets = { [Kind in OpenSheet["kind"]]: ComponentType<SheetProps<Kind>> };

const SHEETS: Sheets = {
  changes: lazyPart(() => import("../files/changes-sheet.tsx"), "ChangesSheet"),
  undo: lazyPart(() => import("../rewind/rewind-sheet.tsx"), "RewindSheet"),
  retry: lazyPart(() => import("../rewind/rewind-sheet.tsx"), "RewindSheet"),
  rerun: lazyPart(() => import("../rewind/rerun-sheet.tsx"), "RerunSheet"),
  branch: lazyPart(() => import("../rewind/branch-sheet.tsx"), "BranchSheet"),
  export: lazyPart(() => import("../../features/share/web/export-sheet.tsx"), "ExportSheet"),
  turns: lazyPart(() => import("../rewind/turns-sheet.tsx"), "TurnsSheet"),
  settings: lazyPart(() => import("../settings/settings-sheet.tsx"), "SettingsSheet"),
};

type HostProps = { open: OpenSheet | null; sessionId: string; onClose: () => void };

export function SheetHost({ open, sessionId, onClose }: HostProps) {
  if (open === null) return null;
  const View = SHEETS[open.kind] as ComponentType<
    OpenSheet & { sessionId: string; onClose: () => void }
  >;
  return (
    <ErrorBoundary
      key={open.kind}
      fallback={() => <p role="alert">This could not be opened. Reload the page and try again.</p>}
    >
      <Suspense fallback={null}>
        <View {...open} sessionId={sessionId} onClose={onClose} />
      </Suspense>
    </ErrorBoundary>
  );
}
