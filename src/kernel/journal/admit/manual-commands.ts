// Manual workspace commands: save a file, run a command. Both are direct runs, so they are journaled, checkpointed and
// sandboxed like an agent's calls, and wait for their turn in the session.
import type { Outcome, RunCommand, SaveBlob } from "../../events/commands.ts";
import { ApiError } from "../../events/errors.ts";
import { insertDirect, type DirectRun } from "./direct-runs.ts";
import { once, outcome } from "./idempotency.ts";
import { findSession } from "./new-session.ts";
import { isQueueFull, publishQueue, QUEUE_FULL } from "./queue.ts";
import type { Transact } from "../transaction.ts";

export function saveFile(transact: Transact) {
  return (sessionId: string, command: SaveBlob): Promise<Outcome | undefined> => {
    const { path, sha256, bytes, expect } = command;
    return admit(transact, sessionId, {
      keyed: { scope: `save:${sessionId}`, key: command.command_id, command },
      message: "The file will be saved.",
      run: {
        tool: "save",
        arguments: { path, sha256, bytes, ...(expect !== undefined && { expect }) },
        words: `Save ${path}.`,
        label: `Save ${path}`,
        effect: true,
      },
    });
  };
}

export function runCommand(transact: Transact) {
  return (sessionId: string, command: RunCommand): Promise<Outcome | undefined> => {
    const { command_id, command: line, cwd, timeout_s, network } = command;
    return admit(transact, sessionId, {
      keyed: { scope: `exec:${sessionId}`, key: command_id, command },
      message: "The command will be run.",
      run: {
        tool: "exec",
        arguments: {
          command: line,
          ...(cwd !== undefined && { cwd }),
          ...(timeout_s !== undefined && { timeout_s }),
          ...(network !== undefined && { network }),
        },
        words: `Run this command: ${line}`,
        label: line,
        effect: true,
      },
    });
  };
}

type Admission = {
  readonly keyed: Parameters<typeof once>[1];
  readonly message: string;
  readonly run: Omit<DirectRun, "session">;
};

function admit(transact: Transact, sessionId: string, { keyed, message, run }: Admission) {
  return transact(sessionId, async (tx): Promise<Outcome | undefined> => {
    const session = await findSession(tx, sessionId);
    if (!session) return undefined;
    // The stored command is the one that runs. Redacting a secret would change it, so it is refused.
    if (JSON.stringify(tx.clean(run.arguments)) !== JSON.stringify(run.arguments)) {
      throw new ApiError("invalid_request", HOLDS_SECRET, { reason: "holds_secret" });
    }
    return once(tx, keyed, async () => {
      if (await isQueueFull(tx, session.session_key)) {
        return outcome("conflict", { session_id: sessionId, message: QUEUE_FULL });
      }
      const { runId, event_id } = await insertDirect(tx, { ...run, session });
      await publishQueue(tx, session);
      return outcome("accepted", { run_id: runId, session_id: sessionId, event_id, message });
    });
  });
}

export const HOLDS_SECRET = "It holds a secret that is known here, and secrets are never stored.";
