// What the pages of the house are called wherever they are named: tabs, palette, titles.
import type { IconName } from "../ui/icon.tsx";
import type { AdminPageName } from "../use-route.ts";

export const ADMIN_LABELS: Record<AdminPageName, { label: string; icon: IconName }> = {
  cron: { label: "Schedules", icon: "clock" },
  audit: { label: "Audit", icon: "shield" },
  logs: { label: "Logs", icon: "list" },
  insights: { label: "Insights", icon: "bars" },
  gateway: { label: "Messengers", icon: "thought" },
  browser: { label: "Browser", icon: "globe" },
  memory: { label: "Memory", icon: "thought" },
  skills: { label: "Skills", icon: "book" },
  settings: { label: "Settings", icon: "gear" },
};
