// Tables of the workbench: pinned sessions, the activity of a run, the inbox, and push subscriptions. All of them follow
// from events, except the two push tables.
export const workbench = `
ALTER TABLE sessions ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0;
CREATE INDEX sessions_pinned ON sessions (updated_hour) WHERE pinned = 1 AND deleted = 0;
ALTER TABLE logs ADD COLUMN activity TEXT; -- in a few words, for lists; NULL: nothing to say
ALTER TABLE logs ADD COLUMN activity_at REAL;
ALTER TABLE logs ADD COLUMN dismissed INTEGER NOT NULL DEFAULT 0; -- its end has been seen
CREATE INDEX logs_trouble ON logs (ended_at)
  WHERE kind = 'run' AND parent_run_id IS NULL AND dismissed = 0 AND status IN ('failed', 'expired');
CREATE INDEX logs_ended ON logs (ended_at)
  WHERE kind = 'run' AND parent_run_id IS NULL AND ended_at IS NOT NULL;

-- Records, like projects.
CREATE TABLE push_subscriptions (
  endpoint TEXT PRIMARY KEY,
  p256dh TEXT NOT NULL,
  auth TEXT NOT NULL,
  label TEXT NOT NULL, -- which browser, for the list in the settings
  created_at REAL NOT NULL
) STRICT;
-- Each notification is sent by one process, once.
CREATE TABLE push_sent (
  key TEXT PRIMARY KEY,
  sent_at REAL NOT NULL
) STRICT;
`;
