// A person's request to compact the conversation: a direct run that asks a model for a summary.
import type { Compress, Outcome } from "../../events/commands.ts";
import { conversation, isExchange } from "../read/conversation.ts";
import { insertDirect } from "./direct-runs.ts";
import { once, outcome } from "./idempotency.ts";
import { findSession } from "./new-session.ts";
import { publishQueue } from "./queue.ts";
import type { Transact } from "../transaction.ts";

export function compress(transact: Transact) {
  return (sessionId: string, command: Compress): Promise<Outcome | undefined> =>
    transact(sessionId, async (tx) => {
      const session = await findSession(tx, sessionId);
      if (!session) return undefined;
      const keyed = { scope: `compress:${sessionId}`, key: command.command_id, command };
      return once(tx, keyed, async () => {
        const about = { session_id: sessionId };
        const runs = await conversation(tx, session.session_key);
        const newest = runs.at(-1);
        if (newest?.direct === "compress" && newest.ended_at === null) {
          const message = "The conversation is being compressed.";
          return outcome("duplicate", { ...about, run_id: newest.log_id, message });
        }
        if (!runs.some(isExchange)) {
          return outcome("not_active", { ...about, message: "There is nothing to compress yet." });
        }
        const { focus } = command;
        const { runId, event_id } = await insertDirect(tx, {
          session,
          tool: "compress",
          arguments: focus === undefined ? {} : { focus },
          words: focus
            ? `Compress the conversation, keeping in view: ${focus}`
            : "Compress the conversation.",
          label: "Compress the conversation",
          effect: false,
        });
        await publishQueue(tx, session);
        const message = "The compression is queued.";
        return outcome("accepted", { ...about, run_id: runId, event_id, message });
      });
    });
}
