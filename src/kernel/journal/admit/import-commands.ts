// An imported recording becomes a session of one event that names its lines. The lines are no events of this journal:
// whatever they contain, none of them is projected, granted, claimed or sent to a model.
import type { Outcome } from "../../events/commands.ts";
import { IMPORTED } from "../../events/share-policy.ts";
import { once, outcome } from "./idempotency.ts";
import type { Defaults, ImportSession } from "../journal.ts";
import { bringBack } from "./new-run.ts";
import { findSession, insertSession } from "./new-session.ts";
import type { Transact } from "../transaction.ts";

export function importSession(transact: Transact) {
  return async (request: ImportSession, defaults: Defaults): Promise<Outcome> => {
    const imported = await take(transact, request, defaults);
    const { status, session_id } = imported;
    if (status === "duplicate" && session_id !== null) await bringBackDeleted(transact, session_id);
    return imported;
  };
}

function take(
  transact: Transact,
  { title, from, again }: ImportSession,
  defaults: Defaults,
): Promise<Outcome> {
  return transact(`import:${from.digest}`, (tx) => {
    const key = again ? undefined : from.digest;
    return once(tx, { scope: IMPORTED, key, command: from.digest }, async () => {
      const { session_id } = await insertSession(tx, {
        session_id: undefined,
        title,
        source: IMPORTED,
        model: defaults.model,
        workspace: defaults.workspace,
        profile: defaults.profile ?? "default",
        imported_from: from,
      });
      const about = { session_id, event_id: `${session_id}:1` };
      return outcome("accepted", { ...about, message: "The recording is open." });
    });
  });
}

/** Restores a deleted session: "it is already here" would not help if no list shows it, and no run can restore it. */
function bringBackDeleted(transact: Transact, sessionId: string): Promise<void> {
  return transact(sessionId, async (tx) => {
    const session = await findSession(tx, sessionId);
    if (session?.deleted === 1) await bringBack(tx, session);
  });
}
