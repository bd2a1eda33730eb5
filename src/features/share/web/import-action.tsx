// The action that imports a file, in the palette and on the start page; and the session that it becomes.
import { Suspense, useState } from "react";
import { lazyPart } from "../../../web/ui/lazy-part.ts";
import { useAction, useActions } from "../../../web/keys/actions.ts";
import { Button } from "../../../web/ui/button.tsx";

const ImportSheet = lazyPart(() => import("./import-sheet.tsx"), "ImportSheet");

export const LazyImportedSession = lazyPart(
  () => import("./imported-session.tsx"),
  "ImportedSession",
);

const IMPORT_ACTION = "session.import";

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

/** For the start page. */
export function OpenRecording() {
  const open = useActions().find(({ id }) => id === IMPORT_ACTION);
  return (
    <p className="muted">
      <Button tone="quiet" icon="file" onClick={() => open?.run()}>
        Import a session…
      </Button>{" "}
      Open a file exported from Quarterdeck.
    </p>
  );
}
