// The action that imports a file, in the palette and on the start page.
import { Suspense, useState } from "react";
import { lazyPart } from "../../../web/ui/lazy-part.ts";
import { useAction } from "../../../web/keys/actions.ts";

const ImportSheet = lazyPart(() => import("./import-sheet.tsx"), "ImportSheet");

export const IMPORT_ACTION = "session.import";

export function ImportAction() {
  const [open, setOpen] = useState(false);
  useAction({
    id: IMPORT_ACTION,
    title: "Import a session",
    section: "Session",
    run: () => setOpen(true),
  });
  if (!open) return null;
  return (
    <Suspense fallback={null}>
      <ImportSheet onClose={() => setOpen(false)} />
    </Suspense>
  );
}
