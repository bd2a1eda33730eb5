// Makes a file of the open session, by name.
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
