// The routes of commands that run in the background.
import { command, get, NO_RUN, NO_SESSION, post, type ApiRoute } from "../api-route.ts";

const NO_PROCESS = [...NO_RUN, "process_not_found", "run_quarantined"] as const;
const PROCESS = "/api/runs/{runId}/processes/{processId}";

export const PROCESS_ROUTES: readonly ApiRoute[] = [
  get("/api/processes", {
    id: "listProcesses",
    tag: "processes",
    summary: "Commands in the background: of a session, or of what runs and what ran last.",
    answer: { data: "ProcessesView" },
    query: ["session_id"],
    errors: NO_SESSION,
  }),
  get(`${PROCESS}/log`, {
    id: "readProcessLog",
    tag: "processes",
    summary: "What it printed, as far as the journal has it; waits for more when asked to.",
    answer: { data: "ProcessLogView" },
    query: ["first_byte", "bytes", "wait_s"],
    errors: NO_PROCESS,
  }),
  post(`${PROCESS}/input`, {
    ...command("ProcessInput", NO_PROCESS),
    id: "typeIntoProcess",
    tag: "processes",
    summary: "Type into its standard input.",
  }),
  post(`${PROCESS}/kill`, {
    ...command("KillProcess", NO_PROCESS),
    id: "killProcess",
    tag: "processes",
    summary: "End it.",
  }),
];
