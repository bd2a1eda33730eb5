// The calls for a person's own terminals; what they print comes by another way (link.ts).
import type { terminalsApi } from "../api.ts";
import type { OpenTerminal } from "../records.ts";
import { callsOf, type Calls } from "../../../kernel/client/calls.ts";

export function terminalCalls(calls: Calls) {
  const call = callsOf<typeof terminalsApi>(calls);
  return {
    terminals: (sessionId: string, signal?: AbortSignal) =>
      call("get /api/sessions/{sessionId}/terminals", { params: { sessionId } }, signal),
    openTerminal: (sessionId: string, body: OpenTerminal) =>
      call("post /api/sessions/{sessionId}/terminals", { params: { sessionId }, body }),
    closeTerminal: (terminalId: string) =>
      call("post /api/terminals/{terminalId}/close", { params: { terminalId }, body: {} }),
  };
}
