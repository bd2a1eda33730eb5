// The palette action that exports the open session.
import { useAction } from "../../../web/keys/actions.ts";

export function ExportAction({ onOpen }: { onOpen: () => void }) {
  useAction({
    id: "session.export",
    title: "Export this session as a file",
    section: "Session",
    run: onOpen,
  });
  return null;
}
