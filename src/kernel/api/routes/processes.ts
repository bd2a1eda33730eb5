// The endpoints of background commands.
import { z } from "zod";
import { SessionId } from "../../events/ids.ts";
import { ProcessLogView, ProcessesView } from "../records/processes.ts";
import { KillProcess, ProcessInput } from "../../events/commands.ts";
import { BY_RUN, command, get, NO_RUN, NO_SESSION, post } from "../endpoint.ts";

const NO_PROCESS = [...NO_RUN, "process_not_found", "run_quarantined"] as const;
const BY_PROCESS = {
  ...BY_RUN,
  processId: z
    .string()
    .regex(/^[A-Za-z0-9_.-]{1,64}$/, "the id of a process")
    .describe("The id of a command in the background."),
};
const digits = z
  .string()
  .regex(/^\d{1,15}$/, "a number")
  .transform(Number)
  .meta({ type: "integer" });
const MAX_WAIT_S = 25;
const LogQuery = z.object({
  first_byte: digits.default(0).describe("Of all it printed; 0 when left out."),
  bytes: digits
    .refine((value) => value >= 1 && value <= 262_144, "1 to 262144")
    .default(65_536)
    .describe("How many, at most 262144."),
  wait_s: digits
    .refine((value) => value <= MAX_WAIT_S, `at most ${MAX_WAIT_S}`)
    .default(0)
    .describe("How long to wait for more, at most 25; not at all when left out."),
});
const ListQuery = z.object({ session_id: SessionId.optional().describe("Only of this session.") });

export const processesApi = {
  listProcesses: get("/api/processes", {
    tag: "processes",
    summary: "Commands in the background: of a session, or of what runs and what ran last.",
    response: ProcessesView,
    query: ListQuery,
    errors: NO_SESSION,
  }),
  readProcessLog: get("/api/runs/{runId}/processes/{processId}/log", {
    params: BY_PROCESS,
    tag: "processes",
    summary: "What it printed, as far as the journal has it; waits for more when asked to.",
    response: ProcessLogView,
    query: LogQuery,
    errors: NO_PROCESS,
  }),
  typeIntoProcess: post("/api/runs/{runId}/processes/{processId}/input", {
    params: BY_PROCESS,
    ...command(ProcessInput, NO_PROCESS),
    tag: "processes",
    summary: "Type into its standard input.",
  }),
  killProcess: post("/api/runs/{runId}/processes/{processId}/kill", {
    params: BY_PROCESS,
    ...command(KillProcess, NO_PROCESS),
    tag: "processes",
    summary: "End it.",
  }),
};
