// Tests that need something of their machine. If it is missing they are reported as skipped, with the reason, because a
// test that did not run must not look like one that passed.
import { test, type TestContext } from "node:test";

export const STRACE = "strace that may trace here (Linux: apt install strace)";
export const NAMESPACES = "unshare that may mount here (Linux, root or user namespaces)";
export const CONTROL_GROUPS = "control groups that may be written (Linux, root)";
export const FAKETIME = "libfaketime (apt install faketime)";
export const CHROMIUM = "a Chromium that starts here (apt install chromium)";
export const SYSTEMD = "systemd-analyze";

type Work = (context: TestContext) => Promise<void> | void;

export function needing(isThere: boolean, what: string): (name: string, work: Work) => void {
  const skip = isThere ? false : `needs ${what}`;
  return (name, work) => void test(name, { skip }, work);
}

/** For a requirement that is checked only while the test runs. */
export function notHere(context: TestContext, what: string): void {
  context.skip(`needs ${what}`);
}
