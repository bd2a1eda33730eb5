// Recorded versions of files in homes, how often skills were read, and the skills of sessions. Follows from events.
export const homeFiles = `
CREATE TABLE home_notes (
  home TEXT NOT NULL,
  kind TEXT NOT NULL,
  profile TEXT NOT NULL,
  name TEXT NOT NULL,
  hash TEXT NOT NULL,
  at REAL NOT NULL,
  actor TEXT NOT NULL,
  action TEXT NOT NULL,
  source TEXT,
  installed_hash TEXT,
  PRIMARY KEY (home, kind, profile, name)
) STRICT, WITHOUT ROWID;
CREATE TABLE skill_uses (
  profile TEXT NOT NULL,
  name TEXT NOT NULL,
  uses INTEGER NOT NULL,
  last_at REAL NOT NULL,
  PRIMARY KEY (profile, name)
) STRICT, WITHOUT ROWID;
ALTER TABLE sessions ADD COLUMN skills TEXT NOT NULL DEFAULT '{}';
`;
