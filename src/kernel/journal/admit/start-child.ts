// Child runs: they share their parent's session, project, profile and tools, and run beside it.
import type { Child } from "../journal.ts";
import { insertRun, originOf } from "./new-run.ts";
import { findSession, newId } from "./new-session.ts";
import type { Transact } from "../transaction.ts";

export function startChild(transact: Transact) {
  return ({ runId, parent, message, budget, toolsets, title }: Child): Promise<void> =>
    transact(parent.runId, async (tx) => {
      if (await tx.log(runId)) return; // a recovered parent asks again for the same child
      const log = await tx.log(parent.runId);
      if (!log || log.fence !== parent.fence || log.ended_at !== null) return; // stale: starts nothing
      if (log.status === "cancelling") return; // a stopped run starts nothing, not even below it (C4)
      const session = await findSession(tx, log.session_id);
      if (!session) return;
      const { queued } = await originOf(tx, log.log_key);
      const { model, workspace, profile } = queued;
      await insertRun(tx, {
        runId,
        session: { ...session, model, workspace, profile },
        messageId: newId("msg"),
        mode: "start",
        command: {
          message,
          source: "delegate",
          toolsets: [...(toolsets ?? queued.toolsets)],
          ...(title !== undefined && { metadata: { title } }),
        },
        parent: {
          run_id: parent.runId,
          root_run_id: queued.root_run_id,
          depth: queued.depth + 1,
        },
        project: queued.project ?? null,
        budget: budget ?? null,
      });
    });
}
