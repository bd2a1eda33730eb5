// The same command twice is one command (X1, X2). The key, the request and the answer are stored in the transaction that
// executes it, so a repeat after a crash finds either all of it or nothing.
import { hash } from "node:crypto";
import type { Outcome } from "../../events/commands.ts";
import { ApiError } from "../../events/errors.ts";
import type { Tx } from "../transaction.ts";
import { rowsOf, text } from "../rows.ts";

export type Keyed = { scope: string; key: string | undefined; command: unknown };

const ANSWERED = rowsOf("commands", { fingerprint: text, outcome: text });

export async function once(
  tx: Tx,
  { scope, key, command }: Keyed,
  work: () => Promise<Outcome>,
): Promise<Outcome> {
  if (key === undefined) return work();
  const fingerprint = hash("sha256", JSON.stringify(command));
  const known = await ANSWERED.get(
    tx,
    "SELECT fingerprint, outcome FROM commands WHERE scope = ? AND key = ?",
    scope,
    key,
  );
  if (known) {
    if (known.fingerprint !== fingerprint) {
      const message = "This id was used for another request. Choose a new one.";
      throw new ApiError("idempotency_conflict", message, { key });
    }
    const about = [scope, key, fingerprint] as const;
    const first = JSON.parse(opened(known.outcome, about)) as Outcome;
    return { ...first, status: "duplicate", safe_message: "Already done." };
  }
  const outcome = await work();
  if (outcome.status === "accepted") {
    await tx.run(
      "INSERT INTO commands (scope, key, fingerprint, outcome, created_at) VALUES (?, ?, ?, ?, ?)",
      scope,
      key,
      fingerprint,
      sealed(JSON.stringify(outcome), [scope, key, fingerprint]),
      tx.now,
    );
  }
  return outcome;
}

type About = readonly [scope: string, key: string, fingerprint: string];

const CHECKSUM = 64;

/** With a checksum in front, so that a damaged answer is not returned (D7). */
function sealed(text: string, about: About): string {
  return hash("sha256", [...about, text].join("\n")) + text;
}

function opened(stored: string, about: About): string {
  if (stored.startsWith("{")) return stored; // of a release without checksums
  const text = stored.slice(CHECKSUM);
  if (sealed(text, about) === stored) return text;
  const message = 'What was answered to this command is damaged. Run "quarterdeck doctor".';
  throw new ApiError("run_quarantined", message);
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
