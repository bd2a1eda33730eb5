// Runs that change their runner in order: which runner reaches which volumes, and whether the last one let go of a
// run at the end of a turn, which counts as no crash.
export const handedOver = `
ALTER TABLE processes ADD COLUMN volumes TEXT NOT NULL DEFAULT '[]';
ALTER TABLE logs ADD COLUMN handed_over INTEGER NOT NULL DEFAULT 0;
`;
