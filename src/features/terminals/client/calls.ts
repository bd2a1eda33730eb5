// The calls for a person's own terminals; what they print comes by another way (terminal-link.ts).
import type { OpenTerminal, TerminalsView, TerminalView } from "../records.ts";
import type { Calls } from "../../../kernel/client/api.ts";

export function terminalCalls({ get, post }: Calls) {
  const ofSession = (sessionId: string) =>
    `/api/sessions/${encodeURIComponent(sessionId)}/terminals`;
  return {
    terminals: (sessionId: string, signal?: AbortSignal) =>
      get<TerminalsView>(ofSession(sessionId), signal),
    openTerminal: (sessionId: string, size: OpenTerminal) =>
      post<TerminalView>(ofSession(sessionId), size),
    closeTerminal: (terminalId: string) =>
      post<unknown>(`/api/terminals/${encodeURIComponent(terminalId)}/close`, {}),
  };
}
