// What the audit is told of a person's terminals.
import type { SystemDraft } from "../../../kernel/events/system-events.ts";
import type { TerminalNote } from "./terminals.ts";

export function terminalDraft(what: "opened" | "closed", about: TerminalNote): SystemDraft {
  const { session_id, terminal_id, sandbox, reason } = about;
  const payload = { by: "person", session_id, terminal_id };
  if (what === "opened") {
    return { type: "terminal.opened", payload: { ...payload, sandboxed: sandbox !== "none" } };
  }
  return { type: "terminal.closed", payload: { ...payload, reason: reason ?? "ended" } };
}
