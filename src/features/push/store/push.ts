// Which browsers want to be told when something needs a person or is done, and what they were told. Kept
// for all processes together, so that each thing is told once.
import type { Journal } from "../../../kernel/journal/journal.ts";
import type { Push } from "./push-journal.ts";
import { oneOf, real, rowsOf, text } from "../../../kernel/journal/rows.ts";
import { RUN_STATUSES } from "../../../kernel/state/run/status.ts";

const KEPT_SECONDS = 7 * 86_400; // longer than anything is looked at again

const ADD = `
  INSERT INTO push_subscriptions (endpoint, p256dh, auth, label, created_at) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (endpoint) DO UPDATE SET p256dh = excluded.p256dh, auth = excluded.auth, label = excluded.label`;
const ENDED = `
  SELECT logs.log_id AS run_id, session_id, title, logs.status, ended_at
  FROM logs JOIN sessions USING (session_key)
  WHERE kind = 'run' AND parent_run_id IS NULL AND ended_at IS NOT NULL AND ended_at >= ?
    AND direct IS NULL AND deleted = 0
  ORDER BY ended_at`;

const SUBSCRIPTION = rowsOf("push_subscriptions", {
  endpoint: text,
  p256dh: text,
  auth: text,
  label: text,
  created_at: real,
});
const ENDED_RUN = rowsOf("logs", {
  run_id: text,
  session_id: text,
  title: text,
  status: oneOf(RUN_STATUSES),
  ended_at: real,
});

export function pushStore({ database }: Pick<Journal, "database">): Push {
  const { sql, transact } = database;
  return {
    async pushSubscriptions() {
      const all = `SELECT endpoint, p256dh, auth, label, created_at FROM push_subscriptions
        ORDER BY created_at, endpoint`;
      return SUBSCRIPTION.all(sql, all);
    },
    async addPush({ endpoint, p256dh, auth, label }) {
      await transact(null, (tx) => tx.run(ADD, endpoint, p256dh, auth, label, tx.now));
    },
    async removePush(endpoint) {
      const gone = "DELETE FROM push_subscriptions WHERE endpoint = ?";
      return transact(null, async (tx) => (await tx.run(gone, endpoint)) === 1);
    },
    async claimPush(key) {
      return transact(null, async (tx) => {
        // A request may wait for ever, and must not be told again when its claim is old.
        const old = "DELETE FROM push_sent WHERE sent_at < ? AND key LIKE 'ended %'";
        await tx.run(old, tx.now - KEPT_SECONDS);
        const claim = "INSERT INTO push_sent (key, sent_at) VALUES (?, ?) ON CONFLICT DO NOTHING";
        return (await tx.run(claim, key, tx.now)) === 1;
      });
    },
    async endedRuns(since) {
      return ENDED_RUN.all(sql, ENDED, since);
    },
  };
}
