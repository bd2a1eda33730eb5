// Every command that the journal admits, on one transaction interface.
import { abandonedRuns } from "../abandoned-runs.ts";
import { requireFiles } from "../../blobs/attached-files.ts";
import type { BlobStore } from "../../blobs/blobs.ts";
import { branch } from "./branch-commands.ts";
import * as channel from "./channel-commands.ts";
import { compress } from "./compress-commands.ts";
import { rollback } from "./file-commands.ts";
import { importSession } from "./import-commands.ts";
import type { Commands, Execution } from "../journal.ts";
import { editMessage } from "./message-commands.ts";
import * as own from "./manual-commands.ts";
import { askProcess } from "./process-commands.ts";
import * as project from "../projects/project-commands.ts";
import { moveQueued } from "./queue-commands.ts";
import * as request from "./request-commands.ts";
import * as rewind from "./rewind-commands.ts";
import * as run from "./run-commands.ts";
import * as session from "./session-commands.ts";
import { updateSession } from "./settings-commands.ts";
import { startChild } from "./start-child.ts";
import * as start from "./start-commands.ts";
import type { Transact } from "../transaction.ts";
import { admitting, type Workspaces } from "./workspaces.ts";
import { timedCommands } from "./timed-commands.ts";
import { sayOrDo } from "./typed-commands.ts";

type Admission = {
  readonly transact: Transact;
  readonly blobs: BlobStore;
  readonly workspaces: Workspaces;
};

export function commands({ transact, blobs, workspaces }: Admission) {
  return timedCommands(admitting(plainCommands(transact, blobs), workspaces));
}

/** Commands that only runners and servers send. */
export function manualCommands(
  transact: Transact,
): Pick<Execution, "startChild" | "pauseAbandoned" | "claimStopped"> {
  return { startChild: startChild(transact), ...abandonedRuns(transact) };
}

function plainCommands(transact: Transact, blobs: BlobStore): Commands {
  const startRun = sayOrDo(transact);
  const queueMessage = run.queueMessage(transact);
  const takeChannelMessage = channel.takeChannelMessage(transact);
  return {
    // Looked up before the transaction, because the disk may be slow.
    async startRun(command, defaults, same) {
      await requireFiles(blobs, command.attachments);
      return startRun(command, defaults, same);
    },
    async queueMessage(runId, command) {
      await requireFiles(blobs, command.attachments);
      return queueMessage(runId, command);
    },
    createSession: start.createSession(transact),
    importSession: importSession(transact),
    cancelRun: run.cancelRun(transact),
    stopActive: run.stopActive(transact),
    respondApproval: request.respondApproval(transact),
    respondClarify: request.respondClarify(transact),
    updateGoal: session.updateGoal(transact),
    updateTitle: session.updateTitle(transact),
    updateSession: updateSession(transact),
    editMessage: editMessage(transact),
    moveQueued: moveQueued(transact),
    undo: rewind.undo(transact),
    retry: rewind.retry(transact),
    rerun: rewind.rerun(transact),
    branch: branch(transact),
    compress: compress(transact),
    saveFile: own.saveFile(transact),
    runCommand: own.runCommand(transact),
    askProcess: askProcess(transact),
    rollback: rollback(transact),
    async takeChannelMessage(command, defaults) {
      await requireFiles(blobs, command.attachments);
      return takeChannelMessage(command, defaults);
    },
    markReplied: channel.markReplied(transact),
    createProject: project.createProject(transact),
    updateProject: project.updateProject(transact),
    deleteProject: project.deleteProject(transact),
  };
}
