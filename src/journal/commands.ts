// Every command the journal admits, on one transaction seam.
import type { Commands, Execution } from "./journal.ts";
import * as request from "./request-commands.ts";
import * as run from "./run-commands.ts";
import * as session from "./session-commands.ts";
import * as start from "./start-commands.ts";
import type { Transact } from "./transaction.ts";

export function commands(transact: Transact): Commands & Pick<Execution, "startChild"> {
  return {
    startRun: start.startRun(transact),
    startChild: start.startChild(transact),
    createSession: start.createSession(transact),
    cancelRun: run.cancelRun(transact),
    respondApproval: request.respondApproval(transact),
    respondClarify: request.respondClarify(transact),
    queueMessage: run.queueMessage(transact),
    updateGoal: session.updateGoal(transact),
    updateTitle: session.updateTitle(transact),
  };
}
