/** The logs that processes of a machine keep, one file each. */
export const LOG_KINDS = ["errors", "serve", "work", "gateway", "cron", "tool_debug"] as const;
