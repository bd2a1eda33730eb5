// The routes of a person's own terminals. What they print is on a WebSocket: /api/terminals/{id}/ws.
import { get, NO_SESSION, post, type ApiRoute } from "../../kernel/api/api-route.ts";

export const TERMINAL_ROUTES: readonly ApiRoute[] = [
  get("/api/sessions/{sessionId}/terminals", {
    id: "listTerminals",
    tag: "files",
    summary: "The terminals of a session, and whether there can be any here.",
    answer: { data: "TerminalsView" },
    errors: NO_SESSION,
  }),
  post("/api/sessions/{sessionId}/terminals", {
    id: "openTerminal",
    tag: "files",
    summary: "Open a terminal in the session's workspace, in the sandbox of tools.",
    answer: { data: "TerminalView" },
    body: "OpenTerminal",
    errors: [
      ...NO_SESSION,
      "not_found",
      "forbidden",
      "rate_limited",
      "volume_unreachable",
      "unavailable",
    ],
  }),
  post("/api/terminals/{terminalId}/close", {
    id: "closeTerminal",
    tag: "files",
    summary: "End a terminal and everything that was started in it.",
    answer: { data: "TerminalClosed" },
    body: "CloseTerminal",
    errors: ["not_found"],
  }),
];
