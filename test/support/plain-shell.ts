// Terminals of tests run a shell without the user's start-up files: what those start may take seconds, and a kill in the
// middle of it leaves the person's own shells waiting for a lock.
export const PLAIN_SHELL = "/bin/sh";

/** For hosts that are started by the test's own process. */
process.env["SHELL"] = PLAIN_SHELL;
