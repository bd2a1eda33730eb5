// The endpoints of a person's own terminals. What they print is on a WebSocket: /api/terminals/{id}/ws.
import {
  CloseTerminal,
  OpenTerminal,
  TerminalClosed,
  TerminalView,
  TerminalsView,
} from "./records.ts";
import { z } from "zod";
import { BY_SESSION, get, NO_SESSION, post } from "../../kernel/api/endpoint.ts";

const BY_TERMINAL = { terminalId: z.string().describe("The terminal's id.") };

export const terminalsApi = {
  listTerminals: get("/api/sessions/{sessionId}/terminals", {
    params: BY_SESSION,
    tag: "files",
    summary: "The terminals of a session, and whether there can be any here.",
    response: TerminalsView,
    errors: NO_SESSION,
  }),
  openTerminal: post("/api/sessions/{sessionId}/terminals", {
    params: BY_SESSION,
    tag: "files",
    summary: "Open a terminal in the session's workspace, in the sandbox of tools.",
    response: TerminalView,
    body: OpenTerminal,
    errors: [
      ...NO_SESSION,
      "not_found",
      "forbidden",
      "rate_limited",
      "volume_unreachable",
      "unavailable",
    ],
  }),
  closeTerminal: post("/api/terminals/{terminalId}/close", {
    params: BY_TERMINAL,
    tag: "files",
    summary: "End a terminal and everything that was started in it.",
    response: TerminalClosed,
    body: CloseTerminal,
    errors: ["not_found"],
  }),
};
