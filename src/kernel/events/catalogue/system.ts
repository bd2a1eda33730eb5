// Events outside any session. Each names who caused it, because the system log is the audit trail. An event says that a
// secret or a content changed, and never contains it.
import { z } from "zod";
import { defineSystemEvent } from "../event.ts";

/** "person" (page or API), a window's name, "run <id>", "<platform> <user>", "shell", "house" (nobody asked). */
const by = z.string().min(1).max(300);

/** The first event: from here on the log is kept, and no list of sessions has it. */
export const SystemLogOpened = defineSystemEvent("house.opened", { by });

export const LoginSucceeded = defineSystemEvent("login.succeeded", {
  by,
  address: z.string(),
});
export const LoginFailed = defineSystemEvent("login.failed", {
  by,
  address: z.string(),
  reason: z.enum(["code", "token", "too_many"]),
  times: z.int().positive(), // since it was last said
});
export const TokenRotated = defineSystemEvent("token.rotated", { by });

export const ApprovalAnswered = defineSystemEvent("approval.answered", {
  by,
  session_id: z.string(),
  run_id: z.string(),
  request_id: z.string(),
  choice: z.string(),
  edited: z.boolean(), // the person changed the arguments
});

/** `changed`: the names of settings, never their values. */
export const SettingsChanged = defineSystemEvent("settings.changed", {
  by,
  section: z.string(),
  subject: z.string().nullable(), // a session, a profile, a project
  changed: z.array(z.string()),
});

export const ExportMade = defineSystemEvent("export.made", {
  by,
  session_id: z.string(),
  run_id: z.string().nullable(),
  format: z.string(),
  policy: z.string(),
});
export const ImportMade = defineSystemEvent("import.made", {
  by,
  session_id: z.string(),
  outcome: z.string(), // accepted, or duplicate: it was there already
});

export const TerminalOpened = defineSystemEvent("terminal.opened", {
  by,
  session_id: z.string(),
  terminal_id: z.string(),
  sandboxed: z.boolean(),
});
export const TerminalClosed = defineSystemEvent("terminal.closed", {
  by,
  session_id: z.string(),
  terminal_id: z.string(),
  reason: z.string(),
});

/** A log that was taken for damaged (`problem`) verifies again and is served again. */
export const QuarantineLifted = defineSystemEvent("quarantine.lifted", {
  by,
  log_id: z.string(),
  problem: z.string(),
});
/**
 * The journal did not hold what was acknowledged: `expected` events of the epoch `lost_epoch`, and `found` were there. What
 * was written since then is in this epoch.
 */
export const HistoryLost = defineSystemEvent("history.lost", {
  by,
  reason: z.enum(["behind", "another", "missing"]),
  lost_epoch: z.string(),
  expected: z.int().nonnegative(),
  found: z.int().nonnegative(),
});

/** Which browser agents may use from now on: one that runners start, or a live one by its debugging address. */
export const BrowserConnected = defineSystemEvent("browser.connected", {
  by,
  mode: z.enum(["start", "connect"]),
  cdp_url: z.string().nullable(), // of a live one
});
export const BrowserDisconnected = defineSystemEvent("browser.disconnected", { by });

/** `hash`: of the whole text afterwards, so that an edit by hand or one that was cut short is noticed. */
export const MemoryChanged = defineSystemEvent("memory.changed", {
  by,
  profile: z.string(),
  target: z.enum(["memory", "user"]),
  action: z.enum(["added", "replaced", "removed", "edited"]),
  hash: z.string(),
  home: z.string().optional(), // which home's files: each machine may have its own
});
/** `hash`: of all files of the skill afterwards; empty: it is gone. `source`: where it was installed from. */
export const SkillChanged = defineSystemEvent("skill.changed", {
  by,
  profile: z.string(),
  name: z.string(),
  action: z.enum(["created", "edited", "removed", "installed"]),
  hash: z.string(),
  source: z.string().nullable(),
  home: z.string().optional(),
});
