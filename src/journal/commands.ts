// Every command the journal admits, on one transaction seam.
import * as control from "./control-commands.ts";
import type { Commands, Execution } from "./journal.ts";
import * as start from "./start-commands.ts";
import type { Transact } from "./transaction.ts";

export function commands(transact: Transact): Commands & Pick<Execution, "startChild"> {
  return {
    startRun: start.startRun(transact),
    startChild: start.startChild(transact),
    createSession: start.createSession(transact),
    cancelRun: control.cancelRun(transact),
    respondApproval: control.respondApproval(transact),
    respondClarify: control.respondClarify(transact),
    queueMessage: control.queueMessage(transact),
    updateGoal: control.updateGoal(transact),
    updateTitle: control.updateTitle(transact),
  };
}
