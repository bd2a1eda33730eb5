// Columns for several machines, which one machine may use too: turns between sessions, and the volume of a run's
// workspace.
export const manyMachines = `
ALTER TABLE sessions ADD COLUMN claimed_at REAL NOT NULL DEFAULT 0; -- when a run of it was last taken on
ALTER TABLE logs ADD COLUMN volume TEXT NOT NULL DEFAULT ''; -- of the run's workspace; empty: the same path everywhere
`;
