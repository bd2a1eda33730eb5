// What more than one machine needs, and one machine may have too: turns between sessions, and which volume a
// run's workspace is on.
export const manyMachines = `
ALTER TABLE sessions ADD COLUMN claimed_at REAL NOT NULL DEFAULT 0; -- when a run of it was last taken on
ALTER TABLE logs ADD COLUMN volume TEXT NOT NULL DEFAULT ''; -- of the run's workspace; empty: the same path everywhere
`;
