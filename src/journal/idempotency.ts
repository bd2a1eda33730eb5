// The same command twice is one command (X1, X2). The key, what was asked and what was answered are
// stored in the transaction that did it, so a repeat after a crash finds either all of it or nothing.
import { hash } from "node:crypto";
import type { Outcome } from "../protocol/commands.ts";
import { ApiError } from "../protocol/errors.ts";
import type { Tx } from "./transaction.ts";

export type Keyed = { scope: string; key: string | undefined; command: unknown };

export async function once(
  tx: Tx,
  { scope, key, command }: Keyed,
  work: () => Promise<Outcome>,
): Promise<Outcome> {
  if (key === undefined) return work();
  const fingerprint = hash("sha256", JSON.stringify(command));
  const known = await tx.get(
    "SELECT fingerprint, outcome FROM commands WHERE scope = ? AND key = ?",
    scope,
    key,
  );
  if (known) {
    if (known["fingerprint"] !== fingerprint) {
      const message = "This id was used for another request. Choose a new one.";
      throw new ApiError("idempotency_conflict", message, { key });
    }
    const first = JSON.parse(known["outcome"] as string) as Outcome;
    return { ...first, status: "duplicate", safe_message: "Already done." };
  }
  const outcome = await work();
  if (outcome.status === "accepted") {
    await tx.run(
      "INSERT INTO commands (scope, key, fingerprint, outcome, created_at) VALUES (?, ?, ?, ?, ?)",
      scope,
      key,
      fingerprint,
      JSON.stringify(outcome),
      tx.now,
    );
  }
  return outcome;
}

export function outcome(
  status: Outcome["status"],
  about: { run_id?: string; session_id?: string; event_id?: string; message: string },
): Outcome {
  return {
    accepted: status === "accepted" || status === "duplicate",
    status,
    run_id: about.run_id ?? null,
    session_id: about.session_id ?? null,
    event_id: about.event_id ?? null,
    safe_message: about.message,
  };
}
