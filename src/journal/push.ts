// Which browsers want to be told when something needs a person or is done, and what they were told. Kept
// for all processes together, so that each thing is told once.
import type { Database } from "./database.ts";
import type { EndedRun, Push, PushSubscription } from "./journal.ts";

const KEPT_SECONDS = 7 * 86_400; // longer than anything is looked at again

export function push(db: Database): Push {
  return {
    async pushSubscriptions() {
      const sql = "SELECT * FROM push_subscriptions ORDER BY created_at, endpoint";
      return db.read(() => db.all(sql) as PushSubscription[]);
    },
    async addPush({ endpoint, p256dh, auth, label }) {
      await db.write(() =>
        db.run(
          `INSERT INTO push_subscriptions (endpoint, p256dh, auth, label, created_at) VALUES (?, ?, ?, ?, ?)
           ON CONFLICT (endpoint) DO UPDATE SET p256dh = excluded.p256dh, auth = excluded.auth, label = excluded.label`,
          endpoint,
          p256dh,
          auth,
          label,
          db.now(),
        ),
      );
    },
    async removePush(endpoint) {
      const sql = "DELETE FROM push_subscriptions WHERE endpoint = ?";
      return db.write(() => db.run(sql, endpoint) === 1);
    },
    async claimPush(key) {
      return db.write(() => {
        // A request may wait for ever, and must not be told again when its claim is old.
        db.run(
          "DELETE FROM push_sent WHERE sent_at < ? AND key LIKE 'ended %'",
          db.now() - KEPT_SECONDS,
        );
        return db.run("INSERT OR IGNORE INTO push_sent VALUES (?, ?)", key, db.now()) === 1;
      });
    },
    async endedRuns(since) {
      const sql = `SELECT logs.log_id AS run_id, session_id, title, logs.status, ended_at
        FROM logs JOIN sessions USING (session_key)
        WHERE kind = 'run' AND parent_run_id IS NULL AND ended_at IS NOT NULL AND ended_at >= ?
          AND direct IS NULL AND deleted = 0
        ORDER BY ended_at`;
      return db.read(() => db.all(sql, since) as EndedRun[]);
    },
  };
}
