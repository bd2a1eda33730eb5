// Ids for commands, so that a repeat is recognised. Works without a secure context, where crypto.randomUUID is
// missing.

export function newId(prefix: "ses" | "msg" | "cmd" | "page" | "cron"): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `${prefix}_${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
