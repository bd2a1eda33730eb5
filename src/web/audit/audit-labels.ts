// Describes a system event to a person. An unknown type is shown by its name and fields.
import type { HouseEntry } from "../../kernel/api/records/system-log.ts";
import { plural } from "../text/format.ts";

export const AUDIT_GROUPS = [
  { name: "", label: "Everything" },
  { name: "login,token", label: "Logins" },
  { name: "approval", label: "Approvals" },
  { name: "settings", label: "Settings" },
  { name: "import,export", label: "Exports" },
  { name: "memory,skill", label: "Memory and skills" },
  { name: "cron", label: "Schedules" },
  { name: "gateway", label: "Messengers" },
  { name: "terminal,browser", label: "Terminals, browser" },
] as const;

type Fields = HouseEntry["payload"];
const text = (fields: Fields, name: string) => {
  const value = fields[name];
  return typeof value === "string" ? value : "";
};

const REASONS: Readonly<Record<string, string>> = {
  code: "invalid or used link",
  token: "a wrong token",
  too_many: "too many attempts",
};
const CHOICES: Readonly<Record<string, string>> = {
  once: "Allowed once",
  session: "Allowed for the session",
  always: "Allowed always",
  deny: "Denied",
};

const WORDS: Readonly<Record<string, (fields: Fields) => string>> = {
  "house.opened": () => "The log was created",
  "login.succeeded": (fields) => `Logged in from ${text(fields, "address")}`,
  "login.failed": (fields) => {
    const times = Number(fields["times"]);
    const often = times > 1 ? ` (${plural(times, "time")})` : "";
    return `Login failed from ${text(fields, "address")}: ${REASONS[text(fields, "reason")] ?? "not allowed"}${often}`;
  },
  "token.rotated": () => "A new token: everyone was logged out",
  "approval.answered": (fields) => {
    const choice = text(fields, "choice");
    return `${CHOICES[choice] ?? choice}${fields["edited"] === true ? ", with edited arguments" : ""}`;
  },
  "settings.changed": (fields) => {
    const names = Array.isArray(fields["changed"]) ? fields["changed"] : [];
    const changed = names.filter((name) => typeof name === "string").join(", ");
    return `Settings of ${text(fields, "section")} changed: ${changed}`;
  },
  "export.made": (fields) =>
    `Exported as ${text(fields, "format")} (policy ${text(fields, "policy")})`,
  "import.made": (fields) =>
    text(fields, "outcome") === "duplicate"
      ? "Imported a file that had already been imported"
      : "Imported a file as a session",
  "terminal.opened": (fields) =>
    `Opened a terminal${fields["sandboxed"] === false ? " without a sandbox" : ""}`,
  "terminal.closed": (fields) => `Closed a terminal: ${text(fields, "reason")}`,
  "quarantine.lifted": (fields) =>
    `${text(fields, "log_id")} verifies again and is served again (it was: ${text(fields, "problem")})`,
  "history.lost": (fields) => {
    const [expected, found] = [Number(fields["expected"]), Number(fields["found"])];
    return `History was lost: ${found} of ${expected} events of epoch ${text(fields, "lost_epoch")} were there`;
  },
  "browser.connected": (fields) =>
    text(fields, "mode") === "start"
      ? "Agents may use a browser of their own"
      : `Agents may use the live browser at ${text(fields, "cdp_url")}`,
  "browser.disconnected": () => "Agents have no browser any more",
  "cron.job_set": (fields) => {
    const { name } = (fields["job"] ?? {}) as Fields;
    const isNew = Array.isArray(fields["changed"]) && fields["changed"].length === 0;
    return `${isNew ? "Made" : "Changed"} the schedule ${typeof name === "string" ? name : ""}`;
  },
  "cron.job_paused": (fields) => `Paused the schedule ${text(fields, "job_id")}`,
  "cron.job_resumed": (fields) => `Resumed the schedule ${text(fields, "job_id")}`,
  "cron.job_removed": (fields) => `Deleted the schedule ${text(fields, "job_id")}`,
  "cron.ticked": (fields) => {
    const reason = text(fields, "reason");
    const result = text(fields, "result").replace("_", " ");
    return `A time of schedule ${text(fields, "job_id")}: ${result}${reason && `, ${reason}`}`;
  },
  "cron.ran": (fields) => `Ran the schedule ${text(fields, "job_id")} by hand`,
  "cron.delivered": (fields) => {
    const reason = text(fields, "reason");
    return `The answer of schedule ${text(fields, "job_id")} for ${text(fields, "target")}: ${text(fields, "state")}${reason && `, ${reason}`}`;
  },
  "skill.changed": (fields) => {
    const source = text(fields, "source");
    return `Skill ${text(fields, "name")} of ${text(fields, "profile")}: ${text(fields, "action")}${source && ` from ${source}`}`;
  },
  "memory.changed": (fields) =>
    `${text(fields, "target") === "user" ? "User profile" : "Memory"} of ${text(fields, "profile")}: ${text(fields, "action")}`,
  "gateway.platform_set": (fields) => {
    const all = Array.isArray(fields["changed"]) ? fields["changed"] : [];
    const names = all.filter((name) => typeof name === "string").join(", ");
    return `${text(fields, "platform")}: settings changed (${names}); ${fields["enabled"] === true ? "on" : "off"}`;
  },
  "gateway.home_set": (fields) =>
    `${text(fields, "platform")}: home channel ${text(fields, "channel_id") || "removed"}`,
  "gateway.pairing_asked": (fields) =>
    `${text(fields, "user_name") || text(fields, "user_id")} asked for access on ${text(fields, "platform")}`,
  "gateway.pairing_approved": (fields) =>
    `${text(fields, "user_name") || text(fields, "user_id")} got access on ${text(fields, "platform")}`,
  "gateway.pairing_denied": (fields) =>
    `${text(fields, "user_id")} was refused on ${text(fields, "platform")}`,
  "gateway.pairing_revoked": (fields) =>
    `${text(fields, "user_id")} lost access on ${text(fields, "platform")}`,
  "gateway.connected": (fields) =>
    `${text(fields, "platform")} is connected as ${text(fields, "account")}`,
  "gateway.failed": (fields) =>
    `${text(fields, "platform")} is not connected: ${text(fields, "message")}`,
  "gateway.stopped": (fields) => `${text(fields, "platform")} was switched off`,
};

export function wordsOf({ type, payload }: HouseEntry): string {
  const said = Object.hasOwn(WORDS, type) ? WORDS[type]?.(payload) : undefined;
  return said ?? otherwise(type, payload);
}

function otherwise(type: string, { by: _by, ...rest }: Fields): string {
  const fields = Object.entries(rest).map(([name, value]) => `${name} ${JSON.stringify(value)}`);
  return [type.replaceAll(/[._]/g, " "), ...fields].join(", ");
}

/** The session and run it belongs to, if any. */
export function placeOf({ payload }: HouseEntry): { sessionId: string; runId?: string } | null {
  const sessionId = text(payload, "session_id");
  const runId = text(payload, "run_id");
  return sessionId ? { sessionId, ...(runId && { runId }) } : null;
}
