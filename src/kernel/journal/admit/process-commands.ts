// Sends input to a background command, or ends it. The request is an event of its run: the runner that has the process
// sees it there, once. With another runner the process is gone, and the request has no effect.
import type { Outcome } from "../../events/commands.ts";
import { ApiError } from "../../events/errors.ts";
import { once, outcome } from "./idempotency.ts";
import type { ProcessRequest } from "../journal.ts";
import { onRun } from "./on-run.ts";
import { HOLDS_SECRET } from "./manual-commands.ts";
import type { Transact, Tx } from "../transaction.ts";

export function askProcess(transact: Transact) {
  return (
    { runId, processId }: { runId: string; processId: string },
    request: ProcessRequest,
  ): Promise<Outcome | undefined> =>
    onRun(transact, runId, (tx, run) => {
      const [text, close] =
        request.action === "input" ? [request.text, request.close === true] : ["", false];
      refuseSecret(tx, text);
      const keyed = {
        scope: `process:${runId}:${processId}`,
        key: request.command_id,
        command: request,
      };
      return once(tx, keyed, async () => {
        const about = { run_id: runId, session_id: run.session_id };
        if (run.ended_at !== null || run.status === "cancelling") {
          const message = "The process ended with its run.";
          return outcome("not_active", { ...about, message });
        }
        const payload = { process_id: processId, action: request.action, text, close };
        const event_id = await tx.append(run.log_id, [{ type: "process.asked", payload }]);
        const message = request.action === "kill" ? "It is being ended." : "It will be typed.";
        return outcome("accepted", { ...about, event_id, message });
      });
    });
}

function refuseSecret(tx: Tx, text: string): void {
  if (tx.clean(text) === text) return;
  throw new ApiError("invalid_request", HOLDS_SECRET, { reason: "holds_secret" });
}
