// Columns for handing runs over: which runner has which volumes, and whether the last runner released a run between
// steps, which does not count as a crash.
export const handedOver = `
ALTER TABLE processes ADD COLUMN volumes TEXT NOT NULL DEFAULT '[]';
ALTER TABLE logs ADD COLUMN handed_over INTEGER NOT NULL DEFAULT 0;
`;
