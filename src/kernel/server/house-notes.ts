// What routes tell the audit, as events of the house.
import type { HouseDraft } from "../events/house-events.ts";
import type { ShareNote } from "../../features/share/server/share-note.ts";
import type { TerminalNote } from "../../features/terminals/server/terminals.ts";

/** Said before the first byte leaves, and after an import is there. */
export function shareDraft(note: ShareNote): HouseDraft {
  const { action, by, session_id, run_id, format, policy, outcome } = note;
  if (action === "import") {
    const payload = { by, session_id, outcome };
    return { type: "import.made", payload };
  }
  const payload = { by, session_id, run_id, format: format ?? "json", policy };
  return { type: "export.made", payload };
}

export function terminalDraft(what: "opened" | "closed", about: TerminalNote): HouseDraft {
  const { session_id, terminal_id, sandbox, reason } = about;
  const payload = { by: "person", session_id, terminal_id };
  if (what === "opened") {
    return { type: "terminal.opened", payload: { ...payload, sandboxed: sandbox !== "none" } };
  }
  return { type: "terminal.closed", payload: { ...payload, reason: reason ?? "ended" } };
}
