// What opens the export sheet: the palette action for the open session, and the menu of a session in the list.
import { Suspense } from "react";
import { lazyPart } from "../../../web/ui/lazy-part.ts";
import { useAction } from "../../../web/keys/actions.ts";

declare module "../../../web/session/sheets.ts" {
  interface SheetSubjects {
    export: { readonly runId: string | null };
  }
}

const ExportSheet = lazyPart(() => import("./export-sheet.tsx"), "ExportSheet");

export function ExportAction({ onOpen }: { onOpen: () => void }) {
  useAction({
    id: "session.export",
    title: "Export this session as a file",
    section: "Session",
    run: onOpen,
  });
  return null;
}

type ExportingProps = { sessionId: string | null; onClose: () => void };

export function Exporting({ sessionId, onClose }: ExportingProps) {
  if (sessionId === null) return null;
  return (
    <Suspense fallback={null}>
      <ExportSheet kind="export" runId={null} sessionId={sessionId} onClose={onClose} />
    </Suspense>
  );
}
