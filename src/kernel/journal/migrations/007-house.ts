// The system log: events outside any session, indexed by type. Follows from its events.
export const house = `
CREATE TABLE house_entries (
  seq INTEGER PRIMARY KEY,
  at REAL NOT NULL,
  type TEXT NOT NULL,
  actor TEXT NOT NULL
) STRICT;
CREATE INDEX house_entries_type ON house_entries (type, seq);
CREATE INDEX house_entries_actor ON house_entries (actor, seq);
`;
